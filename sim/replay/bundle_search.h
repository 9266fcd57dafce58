// Which bundles the named folders hold.
#pragma once

#include <string>
#include <vector>

namespace fcsim::replay {

// All bundles at and below the folders, in the order of the folders, sorted within each, none
// twice. A folder that has lost its trace and one that cannot be read are listed as well, so that
// they are reported and not passed over. Links to bundles are followed, those to other folders may
// lead in circles and are not. Throws InputError for a path that is not a folder or holds no
// bundle.
std::vector<std::string> find_bundles(const std::vector<std::string>& folders);

}  // namespace fcsim::replay
