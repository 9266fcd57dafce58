// -a, -b, --set-a and --set-b of compare and report.
#pragma once

#include <string>
#include <vector>

#include "sim/command/command.h"

namespace fcsim::command {

struct TwoSides {
  configuration::LoadRequest a, b;
};

// `a` and `b` are configuration files (.toml), profile files and profiles' names. Throws
// UsageError, and InputError for a file of rules that does not say which kernel's they are.
TwoSides two_sides(const CommonOptions& common, const std::vector<std::string>& a,
                   const std::vector<std::string>& b, const std::vector<std::string>& set_a,
                   const std::vector<std::string>& set_b);

}  // namespace fcsim::command
