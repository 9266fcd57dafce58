// Kernel profiles: rule tables in configs/kernels/NAME.toml, with inheritance.
#pragma once

#include <string>
#include <vector>

#include "sim/configuration/keys.h"

namespace fcsim::configuration {

// Replaces all rules in `settings` by those of the profile and its ancestors.
// `name` is a file's name in kernels/ of one of `directories`, without .toml, or a path with it.
// `named_at` is where the user named it, for errors. Throws InputError.
void apply_profile(Settings& settings, const std::string& name, const model::Position& named_at,
                   const std::vector<std::string>& directories);

// Checks an entry against the table of keys and gives it to `settings`. Throws InputError.
const Key& checked_key(const Entry& entry);

// "known are 6.1, 6.12, ...": for messages about a kernel that is not known or not named.
std::string known_profiles(const std::vector<std::string>& directories);

}  // namespace fcsim::configuration
