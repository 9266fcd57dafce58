// The kernel's counters as a flat list of names and numbers, so that a prediction and the truth can
// be compared without either side knowing the other.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/prediction.h"

namespace fcsim::engine {

struct Counter {
  std::string name;  // "commits", "reasons.Cross rename", "snapshot.ranges", ...
  std::uint64_t value = 0;
};

// In the order of fc_info, then jbd2/info. Reasons are listed when they are not 0, snapshot
// counters when the kernel has them.
std::vector<Counter> counters_of(const Prediction& prediction);

}  // namespace fcsim::engine
