// One of the kernel's counters by name, as truth.toml holds it.
#pragma once

#include "model/common/counter_table.h"

namespace fcsim::machine {

using Counter = model::KernelCounter;

}  // namespace fcsim::machine
