// Kernel profiles: rule tables in configs/kernels/NAME.toml, with inheritance.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/configuration/keys.h"

namespace fcsim::configuration {

// The rules of profiles, each read at its first use.
class ProfileMemory {
 public:
  // Folders that are searched for kernels/NAME.toml.
  explicit ProfileMemory(std::vector<std::string> directories)
      : directories_(std::move(directories)) {}
  [[nodiscard]] const std::vector<std::string>& directories() const { return directories_; }
  // Of the profile and its ancestors. `name` is a file's name in kernels/ of one of the folders,
  // without .toml, or a path with it. `named_at` is where the user named it, for errors. Throws
  // InputError.
  const model::KernelRules& rules(const std::string& name, const model::Position& named_at);

 private:
  std::vector<std::string> directories_;
  std::map<std::string, model::KernelRules> known_;
};

// Checks an entry against the table of keys and gives it to `settings`. Throws InputError.
const Key& checked_key(const Entry& entry);

// "known are 6.1, 6.12, ...": for messages about a kernel that is not known or not named.
std::string known_profiles(const std::vector<std::string>& directories);

}  // namespace fcsim::configuration
