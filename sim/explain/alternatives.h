// What would be otherwise: predictions of the same trace with one thing changed.
#pragma once

#include "sim/explain/explain.h"

namespace fcsim::sim {

// Only for the causes that `explanation` has. Throws InputError.
Alternatives find_alternatives(const SessionRequest& session, const Explanation& explanation);

}  // namespace fcsim::sim
