#include "model/xfs/settings.h"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace fcsim::model::xfs {

Settings settings_of(const Configuration& configuration) {
  const FilesystemSettings& fs = configuration.filesystem;
  const MountSettings& mount = configuration.mount;
  Settings s;
  s.geometry.block_size = fs.block_size;
  s.geometry.block_count = fs.block_count;
  s.geometry.inode_size = fs.inode_size;
  s.geometry.ag_count = fs.xfs.ag_count;
  s.geometry.ag_blocks = fs.xfs.ag_blocks;
  s.geometry.directory_block_size = fs.xfs.directory_block_size;
  s.geometry.sector_size = fs.xfs.sector_size;
  s.geometry.stripe_unit_blocks = fs.xfs.stripe_unit_blocks;
  s.geometry.log_blocks = fs.xfs.log_blocks;
  s.geometry.log_sector_size = fs.xfs.log_sector_size;
  s.geometry.log_stripe_unit_blocks = fs.xfs.log_stripe_unit_blocks;
  s.geometry.reflink = fs.has("reflink");
  s.geometry.rmapbt = fs.has("rmapbt");
  s.geometry.finobt = fs.has("finobt");
  const std::uint32_t buffer = mount.logbsize_kib * 1024;
  if (!std::has_single_bit(buffer) || buffer < 16384 || buffer > 262144)
    throw std::invalid_argument("mount.logbsize_kib: expects 16, 32, 64, 128 or 256");
  if (!std::has_single_bit(fs.block_size) || fs.inode_size * 2 > fs.block_size)
    throw std::invalid_argument("filesystem.inode_size: an inode is at most half a block");
  if (fs.xfs.ag_count == 0 || fs.xfs.ag_blocks < 64 ||
      (fs.block_count - 1) / fs.xfs.ag_blocks >= fs.xfs.ag_count)
    throw std::invalid_argument(
        "filesystem.ag_blocks: the allocation groups do not hold all blocks");
  s.mount = {mount.atime,
             mount.lazytime,
             mount.sync,
             mount.dirsync,
             mount.wsync,
             buffer,
             mount.allocsize_kib * 1024};
  static_cast<XfsRules&>(s.rules) = configuration.kernel.xfs;
  s.rules.multigrain = configuration.kernel.timestamps.multigrain;
  s.clock = configuration.clock;
  s.tick_value_lag_ns = configuration.clock.tick_value_lag_ns;
  s.writeback = configuration.writeback;
  s.device = configuration.block_device;
  s.worker_interval_centisecs = configuration.writeback.xfssyncd_centisecs;
  s.inodes_from_disk = configuration.mounted.remounted;
  s.warm = configuration.mounted.written && !configuration.mounted.remounted;
  s.mounted_before_start_ns = std::llround(configuration.mounted.seconds * 1e9);
  return s;
}

}  // namespace fcsim::model::xfs
