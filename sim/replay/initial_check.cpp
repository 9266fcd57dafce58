#include "sim/replay/initial_check.h"

#include <string>

#include "model/common/error.h"

namespace fcsim::replay {

void check_initial(const model::InitialState& initial,
                   const model::FilesystemSettings& filesystem) {
  const std::uint64_t groups =
      (filesystem.block_count + filesystem.blocks_per_group - 1) / filesystem.blocks_per_group;
  const std::uint64_t inodes = groups * filesystem.inodes_per_group;
  for (const model::InitialFile& file : initial.files) {
    const model::Position position{initial.source, file.line, 0};
    // XFS numbers inodes by their place.
    if (filesystem.type == model::FilesystemType::ext4 && file.inode > inodes)
      throw model::InputError(position, "inode " + std::to_string(file.inode) +
                                            ", but the file system has " + std::to_string(inodes));
    for (const model::InitialExtent& extent : file.extents)
      if (extent.physical >= filesystem.block_count ||
          extent.length > filesystem.block_count - extent.physical)
        throw model::InputError(position, "an extent of " + std::to_string(extent.length) +
                                              " blocks at " + std::to_string(extent.physical) +
                                              ", but the file system has " +
                                              std::to_string(filesystem.block_count) + " blocks");
  }
}

void require_ext4(const model::FilesystemSettings& filesystem, const char* question) {
  if (filesystem.type == model::FilesystemType::ext4) return;
  throw model::InputError({"filesystem.type", 0, 0},
                          std::string(question) + " answers for ext4 alone, and this is XFS");
}

}  // namespace fcsim::replay
