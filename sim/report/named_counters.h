// Every number of a prediction by a dotted name; what the CSV form prints and the JSON form nests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/prediction.h"

namespace fcsim::sim {

struct NamedCounter {
  std::string group;  // "fc_info", "fc_info.reasons", "jbd2", "causes", ...
  std::string name;   // may hold any character, for reasons
  std::uint64_t value = 0;
};

std::vector<NamedCounter> named_counters(const Prediction& prediction);

}  // namespace fcsim::sim
