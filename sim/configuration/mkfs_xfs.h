// What mkfs.xfs 6.1 chooses where nothing is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fcsim::configuration {

// Blocks; smaller groups are refused (mkfs.xfs: 16 MiB of 4 KiB blocks).
inline constexpr std::uint64_t kLeastAllocationGroup = 4096;

// The features that xfs_info then shows.
const std::vector<std::string>& mkfs_xfs_features();
std::uint32_t mkfs_xfs_inode_size();  // bytes

struct XfsLayout {
  std::uint32_t ag_count = 4;
  std::uint64_t log_blocks = 16384;
};
// For a single disk without stripes.
XfsLayout mkfs_xfs_layout(std::uint64_t block_count, std::uint32_t block_size);

}  // namespace fcsim::configuration
