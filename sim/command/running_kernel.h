// The configuration for a file system that is mounted here: the rules are the running kernel's.
#pragma once

#include "sim/command/command.h"
#include "sim/machine/geometry/input.h"

namespace fcsim::command {

// What the options give, with the profile of the running kernel where the file system is mounted
// and no profile was given. `command` and `source` are for the warnings.
configuration::LoadedConfiguration configuration_for(const std::string& command,
                                                     const std::string& source,
                                                     const CommonOptions& options,
                                                     const machine::geometry::GeometryInput& input);

}  // namespace fcsim::command
