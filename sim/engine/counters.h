// The kernel's counters as truth.toml holds them.
#pragma once

#include "model/common/counter_table.h"

namespace fcsim::engine {

using Counter = model::KernelCounter;

}  // namespace fcsim::engine
