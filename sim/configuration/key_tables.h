// The rows of the table of keys, in two halves.
#pragma once

#include <vector>

#include "sim/configuration/keys.h"

namespace fcsim::configuration {

// [kernel] [clock] [filesystem] [mount] [writeback] [device] [trace] [recorded_with]
void add_machine_keys(std::vector<Key>& keys);

// The tables of kernel rules, which profiles may hold too.
void add_rule_keys(std::vector<Key>& keys);

}  // namespace fcsim::configuration
