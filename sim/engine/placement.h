// The configuration's word for how the calls of a trace are placed in virtual time.
#pragma once

#include "sim/configuration/placement.h"

namespace fcsim::engine {

using configuration::Placement;

}  // namespace fcsim::engine
