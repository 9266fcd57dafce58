// An XFS file system on a device or in an image, read from its superblock. Nothing is ever written.
#pragma once

#include <string>

#include "model/common/configuration.h"

namespace fcsim::machine {

// Whether the file begins with XFS's magic number. False where it cannot be read.
bool is_xfs_image(const std::string& path);

// Throws InputError with the byte (as column) where the fault is: unreadable, no XFS, cut, a log on
// another device, values that contradict each other. Source: fs/xfs/libxfs/xfs_format.h of 6.12,
// struct xfs_dsb.
model::FilesystemSettings read_xfs_superblock(const std::string& path);

}  // namespace fcsim::machine
