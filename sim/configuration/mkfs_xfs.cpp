#include "sim/configuration/mkfs_xfs.h"

#include <algorithm>

namespace fcsim::configuration {

const std::vector<std::string>& mkfs_xfs_features() {
  static const std::vector<std::string> features = {"crc",         "finobt",  "sparse",
                                                    "reflink",     "bigtime", "inobtcount",
                                                    "projid32bit", "ftype",   "lazy-count"};
  return features;
}

std::uint32_t mkfs_xfs_inode_size() {
  return 512;
}

// Four groups up to 4 TiB, then one a TiB; the log is a 2048th of the file system, 64 MiB at least
// and 2038 MiB at most (`mkfs.xfs -N` of 300 MiB, 1, 10, 100 and 200 GiB, 1, 4 and 5 TiB).
XfsLayout mkfs_xfs_layout(std::uint64_t block_count, std::uint32_t block_size) {
  constexpr std::uint64_t tib = std::uint64_t{1} << 40;
  constexpr std::uint64_t least_log = std::uint64_t{64} << 20;
  constexpr std::uint64_t most_log = std::uint64_t{2038} << 20;
  const std::uint64_t bytes = block_count * block_size;
  XfsLayout layout;
  if (bytes > 4 * tib) layout.ag_count = static_cast<std::uint32_t>((bytes + tib - 1) / tib);
  layout.log_blocks = std::max(bytes / 2048, least_log) / block_size;
  layout.log_blocks = std::min(layout.log_blocks, most_log / block_size);
  return layout;
}

}  // namespace fcsim::configuration
