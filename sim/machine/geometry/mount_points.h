// Where ext4 file systems are mounted.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/geometry/mounted.h"

namespace fcsim::machine::geometry {

// The mount points of the ext4 file systems that are mounted, each once, in the order of the
// kernel's list. Throws InputError where that list cannot be read.
std::vector<std::string> ext4_mount_points(const SystemFolders& system);

}  // namespace fcsim::machine::geometry
