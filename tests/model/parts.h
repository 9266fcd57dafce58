// What single parts of the model are made from: a file system as mke2fs makes it on 1 GiB, and the
// first kernel's rules.
#pragma once

#include "model/common/clock.h"
#include "model/common/configuration.h"
#include "model/common/geometry.h"

namespace fcsim::test {

inline constexpr model::Time kSecondNs = 1'000'000'000;

// mke2fs -t ext4 -O fast_commit, 1 GiB of 4 KiB blocks.
inline model::FilesystemSettings gibibyte() {
  model::FilesystemSettings settings;
  settings.features = {"has_journal", "ext_attr",  "resize_inode", "dir_index",   "fast_commit",
                       "filetype",    "extent",    "64bit",        "flex_bg",     "sparse_super",
                       "large_file",  "huge_file", "dir_nlink",    "extra_isize", "metadata_csum"};
  return settings;
}

// The same of 1 KiB blocks.
inline model::FilesystemSettings gibibyte_of_small_blocks() {
  model::FilesystemSettings settings = gibibyte();
  settings.block_size = 1024;
  settings.block_count = 1048576;
  settings.blocks_per_group = 8192;
  settings.inodes_per_group = 512;
  settings.journal_blocks = 16640;
  settings.fast_commit_blocks = 256;
  return settings;
}

// Ticks of 4 ms from time 0 on; jiffies count from there.
inline model::ClockSettings ticks_of_4_ms() {
  model::ClockSettings settings;
  settings.hz = 250;
  settings.tick_phase_ns = 0;
  settings.jiffy0_realtime_ns = 0;
  return settings;
}

struct Parts {
  explicit Parts(model::FilesystemSettings of_disk = gibibyte()) : filesystem(std::move(of_disk)) {}

  model::FilesystemSettings filesystem;
  model::MountSettings mount;
  model::KernelRules kernel;
  model::ClockSettings machine = ticks_of_4_ms();
  model::Geometry geometry{filesystem, mount, kernel};
  model::Clock clock{machine};
};

}  // namespace fcsim::test
