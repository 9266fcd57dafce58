// What operations cost in a transaction of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <vector>

#include "tests/catch.h"
#include "tests/world.h"

namespace fcsim::test {

// Of one full commit, as jbd2_run_stats counts: all 0 where there was no transaction.
struct Cost {
  std::uint32_t handles = 0;
  std::uint32_t blocks = 0;  // distinct metadata blocks
  std::uint32_t logged = 0;  // with descriptors, revoke blocks and the commit record
  friend bool operator==(const Cost&, const Cost&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Cost& c) {
    return out << c.handles << " handles, " << c.blocks << " blocks, " << c.logged << " logged";
  }
};

// The files that a test's set-up hands to its operation, and a directory in the root: the first one
// made on the file system, so it lies in group 0 as inode 12.
struct Files {
  std::vector<model::FileId> files;
  std::vector<model::FileId> directories;
  [[nodiscard]] model::FileId file(std::size_t i = 0) const { return files.at(i); }
  [[nodiscard]] model::FileId directory(std::size_t i = 0) const { return directories.at(i); }
};

using Step = std::function<void(World&, Files&)>;

// Set-up, committed; the operation; syncfs. The set-up opens a file, so the superblock is stamped.
inline Cost cost_of(const model::Configuration& values, const Step& set_up, const Step& operation,
                    bool first_directory = true) {
  World world(values);
  Files files;
  const model::FileId opened = world.create("opened before");
  world.close(opened);
  world.unlink(opened, "opened before");
  if (first_directory) files.directories.push_back(world.make_directory("first"));
  if (set_up) set_up(world, files);
  world.syncfs();
  const model::Time from = world.now;
  operation(world, files);
  world.syncfs();
  world.now += kSecond;
  const engine::Prediction prediction = world.finish();
  std::vector<model::FullCommitRecord> commits;
  for (const model::FullCommitRecord& commit : prediction.full_commits)
    if (commit.start >= from) commits.push_back(commit);
  if (commits.empty()) return {};
  REQUIRE(commits.size() == 1);
  return {commits[0].handles, commits[0].blocks, commits[0].blocks_logged};
}

}  // namespace fcsim::test
