// The features of ext4, by the names that dumpe2fs prints and mke2fs -O takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/common/error.h"

namespace fcsim::configuration {

// Sorted. "extents" is mke2fs's other name for "extent"; states of the moment are not among them.
const std::vector<std::string_view>& feature_names();

// Throws InputError for a name that no e2fsprogs prints, with the nearest one that it does. Bits
// without a name ("FEATURE_R17") and states of the moment (needs_recovery, orphan_present) pass.
void check_features(const std::vector<std::string>& features, const model::Position& position);

}  // namespace fcsim::configuration
