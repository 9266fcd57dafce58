// Finding the line of a trace that a commit goes back to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/common/commit.h"
#include "model/common/error.h"

namespace fcsim::questions::validate {

// A line of a trace and what stands on it: nothing where the text is gone, because the trace was
// standard input or was read in its binary form.
struct TraceLine {
  model::Position position;
  std::int32_t pid = 0;
  std::string text;
};

// The line that a predicted record names; nullopt if it names none.
std::optional<TraceLine> line_of(const model::Origin& origin,
                                 const std::vector<std::string>& trace_files);

// The call that was under way at `time`, of that process if pid is not 0; else the last one before.
// `inputs`: the files that are read, in any form.
std::optional<TraceLine> line_at(model::Time time, std::int32_t pid,
                                 const std::vector<std::string>& inputs);

}  // namespace fcsim::questions::validate
