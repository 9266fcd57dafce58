// What would be otherwise: predictions of the same trace with one thing changed.
#pragma once

#include "sim/questions/explain/explain.h"

namespace fcsim::questions::explain {

// Only for the causes that `explanation` has. Throws InputError.
Alternatives find_alternatives(const replay::SessionRequest& session,
                               const Explanation& explanation);

}  // namespace fcsim::questions::explain
