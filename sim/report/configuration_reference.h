// The manual's reference of configuration keys, from the table that the parser uses.
#pragma once

#include <string>

#include "sim/configuration/keys.h"

namespace fcsim::sim {

// Markdown: a section for each table, a row for each key, in the order of configuration_keys().
// `defaults` is what an empty configuration gives.
std::string configuration_reference(const Settings& defaults);

}  // namespace fcsim::sim
