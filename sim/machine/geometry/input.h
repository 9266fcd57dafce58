// The argument of `fcsim geometry`: an image, a device, a folder on a mounted file system, or the
// text that dumpe2fs or xfs_info printed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/machine/geometry/image.h"
#include "sim/machine/geometry/mounted.h"

namespace fcsim::machine::geometry {

struct GeometryInput {
  FilesystemOnDisk filesystem;
  std::unique_ptr<Image> image;  // nullptr for text and for XFS
  std::optional<MountedFilesystem> mounted;
};

// "-" is such text on standard input. A folder stands for the file system that holds it, a
// mounted device for its mount, too. Throws InputError.
GeometryInput read_geometry(const std::string& path, const SystemFolders& system);

}  // namespace fcsim::machine::geometry
