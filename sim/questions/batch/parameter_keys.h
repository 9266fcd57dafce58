// The keys that -p gave, over all settings of a database.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/questions/batch/result_database.h"

namespace fcsim::questions::batch {

// In the order in which they first come up.
inline std::vector<std::string> parameter_keys(const std::vector<SettingDescription>& settings) {
  std::vector<std::string> keys;
  for (const SettingDescription& setting : settings)
    for (const auto& parameter : setting.parameters)
      if (std::find(keys.begin(), keys.end(), parameter.first) == keys.end())
        keys.push_back(parameter.first);
  return keys;
}

inline std::optional<std::string> parameter_value(const SettingDescription& setting,
                                                  const std::string& key) {
  for (const auto& [name, value] : setting.parameters)
    if (name == key) return value;
  return std::nullopt;
}

}  // namespace fcsim::questions::batch
