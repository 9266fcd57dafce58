// What mke2fs 1.47 chooses where it is not told: geometry, journal, fast-commit area.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/common/configuration.h"

namespace fcsim::configuration {

// What mke2fs 1.47 switches on, and fast_commit, without which there is nothing to predict.
const std::vector<std::string>& default_features();

// Blocks of the journal, without the fast-commit area, that mke2fs gives a file system of that many
// blocks when no size is asked for; 0 for file systems too small for one.
std::uint32_t default_journal_blocks(std::uint64_t filesystem_blocks);

// What `mke2fs -J fast_commit_size=KIB` does.
struct FastCommitSize {
  std::uint32_t area_blocks = 0;       // "Fast commit length" on disk
  std::uint32_t journal_blocks = 0;    // total
  std::string note;                    // what surprises about it; "" mostly
  std::optional<std::string> refusal;  // mke2fs's, instead of a file system
};

// The log proper keeps the size that `filesystem` has; only the area changes.
FastCommitSize fast_commit_size(const model::FilesystemSettings& filesystem, std::int64_t kib);

// Which members of FilesystemSettings are given; mke2fs chooses the others.
struct GivenGeometry {
  bool block_size = false, block_count = false, blocks_per_group = false;
  bool inode_count = false, inodes_per_group = false;
  bool journal_blocks = false, fast_commit_blocks = false;
};

// Sets what is not given in `fs`, whose features and inode size are looked at. `bytes`: size of the
// device, where block_count is not given. `fast_commit_area`: the file system is made with the
// feature fast_commit, so that its journal gets an area.
void choose_geometry(std::uint64_t bytes, const GivenGeometry& given, bool fast_commit_area,
                     model::FilesystemSettings& fs);

// `bytes`: size of the device. `fast_commit_kib`: as for mke2fs -J fast_commit_size=; nullopt: not
// given. Features are mke2fs's and fast_commit. Throws InputError where mke2fs refuses, or makes a
// file system without a journal.
model::FilesystemSettings make_file_system(std::uint64_t bytes,
                                           std::optional<std::int64_t> fast_commit_kib);

}  // namespace fcsim::configuration
