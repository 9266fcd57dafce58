// Whether what a manifest says can be on the file system that the configuration describes.
#pragma once

#include "model/common/configuration.h"
#include "model/common/operation.h"

namespace fcsim::replay {

// Throws InputError with the manifest's line for an inode or block that is not there.
void check_initial(const model::InitialState& initial, const model::FilesystemSettings& filesystem);

// For questions whose answer is about ext4's journal alone, "fcsim exposure" and the like. Throws
// InputError where the file system is another.
void require_ext4(const model::FilesystemSettings& filesystem, const char* question);

}  // namespace fcsim::replay
