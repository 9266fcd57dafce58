// Every number of a prediction by a dotted name; what the CSV form prints and the JSON form nests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/prediction.h"

namespace fcsim::report {

struct NamedCounter {
  std::string group;  // "fc_info", "fc_info.reasons", "jbd2", "causes", ...
  std::string name;   // may hold any character, for reasons
  std::uint64_t value = 0;
};

std::vector<NamedCounter> named_counters(const engine::Prediction& prediction);

}  // namespace fcsim::report
