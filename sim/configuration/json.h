// Values of a configuration as JSON.
#pragma once

#include "sim/configuration/document.h"
#include "sim/support/json.h"

namespace fcsim::configuration {

// null for a value that no key has.
support::Json json_of(const Value& value);

}  // namespace fcsim::configuration
