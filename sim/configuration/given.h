// What a configuration's sources said themselves.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/configuration/configuration.h"

namespace fcsim::sim {

// Whether some source gave a key of `table`.
inline bool gave_any(const LoadedConfiguration& configuration, std::string_view table) {
  return std::any_of(
      configuration.provenance.begin(), configuration.provenance.end(),
      [&](const Provenance& given) { return given.key.starts_with(std::string(table) + "."); });
}

}  // namespace fcsim::sim
