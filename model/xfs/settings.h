// What a prediction for XFS depends on besides the trace.
#pragma once

#include <cstdint>

#include "model/common/block_device.h"
#include "model/common/configuration.h"
#include "model/xfs_log/log.h"

namespace fcsim::model::xfs {

// [filesystem] of type "xfs": what mkfs.xfs made, as xfs_info shows it.
struct Geometry {
  std::uint32_t block_size = 4096;  // bytes: 512 to 65536
  std::uint64_t block_count = 262144;
  std::uint32_t ag_count = 4;
  std::uint64_t ag_blocks = 65536;
  std::uint32_t inode_size = 512;  // bytes
  std::uint32_t directory_block_size = 4096;
  std::uint32_t sector_size = 512;
  std::uint32_t stripe_unit_blocks = 0;
  std::uint64_t log_blocks = 16384;
  std::uint32_t log_sector_size = 512;
  std::uint32_t log_stripe_unit_blocks = 0;
  bool reflink = true;
  bool rmapbt = false;
  bool finobt = true;
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// [mount]
struct Mount {
  AtimeMode atime = AtimeMode::relatime;
  bool lazytime = false;
  bool sync = false;
  bool dirsync = false;
  bool wsync = false;
  std::uint32_t logbsize_bytes = 32768;
  std::uint32_t allocsize_bytes = 0;  // 0: not given, preallocation grows with the file
  friend bool operator==(const Mount&, const Mount&) = default;
};

// [xfs] of a kernel profile, and [timestamps] multigrain.
struct Rules : XfsRules {
  bool multigrain = true;  // from 6.13 on (fs/inode.c:current_time)
  friend bool operator==(const Rules&, const Rules&) = default;
};

struct Settings {
  Geometry geometry;
  Mount mount;
  Rules rules;
  ClockSettings clock;
  WritebackSettings writeback;
  BlockDeviceSettings device;
  // By how much the coarse clock's value is before the moment at which it steps, ns.
  std::int64_t tick_value_lag_ns = 0;
  std::int64_t worker_interval_centisecs = 3000;  // fs.xfs.xfssyncd_centisecs
  // A security module gives each new inode an attribute fork of its own from the start.
  bool security_module = true;
  // The inodes were read from disk when the trace began: the file system was mounted anew.
  bool inodes_from_disk = false;
  // Something was written before the trace, on the same mount.
  bool warm = false;
  // How long before the trace the file system was mounted; the log worker counts from there.
  std::int64_t mounted_before_start_ns = 0;
};

// Throws std::invalid_argument where no such file system can be.
Settings settings_of(const Configuration& configuration);

}  // namespace fcsim::model::xfs
