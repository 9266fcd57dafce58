// The sync calls of a trace and what became of each under one configuration.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/common/operation.h"
#include "sim/engine/prediction.h"
#include "traces/resolve/resolver.h"

namespace fcsim::questions::compare {

// Whether the operation waits until something is durable.
bool is_sync(const model::Operation& operation);

struct SyncCall {
  model::OperationKind kind = model::OperationKind::none;
  std::uint16_t source = 0;  // of the trace files given together
  std::int32_t pid = 0;
  std::uint64_t line = 0;
  model::Time start = 0;
  std::uint32_t path = 0;  // index of SyncLog::paths
};

// Collects them while the trace is decoded, when the files still have their names.
class SyncLog {
 public:
  void observe(const model::Operation& operation, const traces::resolve::Resolver& resolver);

  // In the order of the trace; calls that share a line (io_submit) are one.
  [[nodiscard]] const std::vector<SyncCall>& calls() const { return calls_; }
  // Relative to the mount point; "" for calls on no file and files without a name.
  [[nodiscard]] const std::string& path_of(const SyncCall& call) const { return paths_[call.path]; }

 private:
  std::uint32_t index_of(const std::string& path);

  std::vector<SyncCall> calls_;
  std::vector<std::string> paths_;
  std::map<std::string, std::uint32_t> indices_;
};

// What one call did to the journal itself. Calls that found all done, or waited for what others had
// begun, did nothing of their own.
struct SyncOutcome {
  std::optional<std::uint32_t> fast_blocks;  // of its fast commit
  std::optional<model::Cause> full_cause;    // of the full commit it asked for
  std::optional<model::SyncResult> led_to;   // on XFS
  // Whether both went the same way; how many blocks it took does not matter.
  [[nodiscard]] bool same_path(const SyncOutcome& other) const {
    return fast_blocks.has_value() == other.fast_blocks.has_value() &&
           full_cause == other.full_cause && led_to == other.led_to;
  }
};

// "fast commit, 2 blocks", "full commit (area_full)", "no commit of its own"; on XFS "log write",
// "flush only", "nothing".
std::string describe(const SyncOutcome& outcome);

class SyncOutcomes {
 public:
  // Needs the prediction's lists of commits.
  explicit SyncOutcomes(const engine::Prediction& prediction);
  [[nodiscard]] SyncOutcome of(const SyncCall& call) const;

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint16_t source = 0;
    SyncOutcome outcome;
  };
  std::vector<Entry> entries_;  // sorted by source and line
};

}  // namespace fcsim::questions::compare
