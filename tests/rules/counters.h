// What the tests of single rules share: a file system in virtual time and its counters.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/world.h"

namespace fcsim::test {

// The counters of fc_info and jbd2 info that decide most questions.
struct Counters {
  std::uint64_t commits = 0, ineligible = 0, numblks = 0;
  std::uint64_t transactions = 0, requested = 0;
  friend bool operator==(const Counters&, const Counters&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counters& c) {
    return out << c.commits << " commits, " << c.ineligible << " ineligible, " << c.numblks
               << " numblks, " << c.transactions << " transactions, " << c.requested
               << " requested";
  }
};

inline Counters counters_of(const engine::Prediction& p) {
  return {p.commits, p.ineligible, p.numblks, p.transactions, p.requested};
}

inline std::uint64_t reason(const engine::Prediction& prediction, const std::string& name) {
  for (const auto& [text, count] : prediction.reasons)
    if (text == name) return count;
  return 0;
}

// The fast commits that wrote a log, in order.
inline std::vector<model::FastCommitRecord> logs_of(const engine::Prediction& prediction) {
  std::vector<model::FastCommitRecord> logs;
  for (const model::FastCommitRecord& record : prediction.fast_commits)
    if (record.outcome == model::Outcome::ok) logs.push_back(record);
  return logs;
}

// A written file, open; everything before it is committed by one syncfs.
inline FileId committed_file(World& w, std::int64_t bytes = kBlock,
                             const std::string& name = "file") {
  const FileId file = w.create(name);
  if (bytes != 0) w.write(file, 0, bytes);
  w.syncfs();
  return file;
}

}  // namespace fcsim::test
