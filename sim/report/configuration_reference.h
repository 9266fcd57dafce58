// The manual's reference of configuration keys, from the table that the parser uses.
#pragma once

#include <string>

#include "sim/configuration/keys.h"

namespace fcsim::report {

// Markdown: a section for each table, a row for each key, in the order of configuration_keys().
// `defaults` is what an empty configuration gives.
std::string configuration_reference(const configuration::Settings& defaults);

}  // namespace fcsim::report
