// What the sync calls of a trace asked of the device, by the prediction, and how long each took.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/engine/prediction.h"
#include "traces/event.h"
#include "traces/resolve/resolver.h"

namespace fcsim::questions::fit {

// One fsync or fdatasync.
struct DeviceCall {
  std::uint64_t line = 0;
  std::uint16_t source = 0;
  std::int32_t pid = 0;
  model::Time start = 0, end = 0;  // equal where the trace has no duration
  std::uint64_t data_writes = 0;   // runs of the file's blocks that were written since its last one
  std::uint64_t data_blocks = 0;
};

// Collects them while the trace is decoded. Memory: a record a call, and the ranges of each file
// that were written since its last fsync.
class DeviceCallLog {
 public:
  explicit DeviceCallLog(std::uint32_t block_size) : block_size_(block_size) {}

  void see(const traces::Event& event);
  void observe(const model::Operation& operation);

  [[nodiscard]] const std::vector<DeviceCall>& calls() const { return calls_; }
  // Microseconds of each call that goes no further than memory: close, lseek and fstat.
  [[nodiscard]] const std::vector<double>& idle_calls_us() const { return idle_calls_us_; }

 private:
  using Runs = std::map<std::uint64_t, std::uint64_t>;  // first block -> block after the last

  void write_range(const model::Operation& operation);
  void add_call(const model::Operation& operation);

  std::uint64_t block_size_;
  std::unordered_map<model::FileId, Runs> dirty_;
  std::vector<DeviceCall> calls_;
  std::vector<double> idle_calls_us_;
};

// Requests of one call. `blocks_behind`: beyond the first one of each write.
struct Requests {
  std::uint64_t writes = 0, flushes = 0, fuas = 0, blocks_behind = 0;
};

// How sim/tune/cost.h counts a commit.
Requests requests_of_commit(std::uint64_t blocks, bool barrier);

struct Observation {
  Requests requests;
  double us = 0;
};

// Calls by the path they took, and why some are not observations.
struct Observations {
  std::vector<Observation> rows;
  std::uint64_t fast_commits = 0, full_commits = 0;
  std::uint64_t flushes_alone = 0;  // nothing to commit: the cache is flushed, no more
  std::uint64_t overlapping = 0;    // with another thread's: they wait for each other
  std::uint64_t without_duration = 0;
  std::uint64_t unclear = 0;  // more than one commit, or one that another call began
};

// Needs the prediction's lists of commits.
Observations match(const std::vector<DeviceCall>& calls, const engine::Prediction& prediction,
                   bool barrier);

}  // namespace fcsim::questions::fit
