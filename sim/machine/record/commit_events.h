// The kernel's own trace events for commits, kept as a bundle's commits.tsv.zst.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/record/mounted.h"

namespace fcsim::machine::record {

// A line of the kernel's trace as a line of commits.tsv ("" for lines that are not events):
// "  python3-26573   [001] .....   123.456789: EVENT: dev 7,0 FIELDS", times by CLOCK_MONOTONIC, to
// "REALTIME<TAB>EVENT<TAB>pid=26573 FIELDS". `realtime_of_monotonic0`: CLOCK_REALTIME at 0, in ns.
std::string commit_line(std::string_view line, std::int64_t realtime_of_monotonic0);

// Listens to one file system through a trace instance of its own; nothing of the machine's other
// tracing is touched, and tracefs need not be mounted. Gone with the object.
class CommitEvents {
 public:
  // nullptr where tracefs is not to be had (no root, no such kernel); then `why` says so.
  static std::unique_ptr<CommitEvents> open(const Mounted& mounted, std::string& why);
  ~CommitEvents();
  CommitEvents(const CommitEvents&) = delete;
  CommitEvents& operator=(const CommitEvents&) = delete;

  // Hands over what was traced since the last call, as lines of commits.tsv. Never waits.
  void drain(const std::function<void(std::string_view)>& put);
  // Events that the kernel threw away because they were not taken in time.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  explicit CommitEvents(int tracefs) : tracefs_(tracefs) {}
  void start(dev_t device);
  [[nodiscard]] std::string path(const std::string& file) const;

  int tracefs_;           // a mount of its own, seen nowhere
  std::string instance_;  // its name
  int pipe_ = -1;
  std::int64_t realtime_of_monotonic0_ = 0;
  std::string rest_;  // the beginning of a line whose end is still to come
  std::uint64_t lost_ = 0;
};

}  // namespace fcsim::machine::record
