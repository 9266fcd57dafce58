// env.toml as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/common/operation.h"
#include "sim/machine/record/environment.h"

namespace fcsim::machine::record {

// What [trace] says besides the environment.
struct TraceTable {
  std::string mount_point;
  std::vector<std::string> other_mounts;
  std::vector<std::string> also_at;
  std::vector<std::string> command;
  std::optional<model::Time> manifest_at;
  std::vector<std::string> manifest_moved_atimes;
  std::optional<std::uint64_t> transactions_before;
  bool attached = false;  // to programs that ran already
  std::string recorder;   // "strace", "tracepoints"
  std::optional<std::uint64_t> lost_events;
};

// A table whose content is not known is left out.
std::string environment_text(const Environment& environment, const TraceTable& trace);

}  // namespace fcsim::machine::record
