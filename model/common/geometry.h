// Numbers that follow from the file system's settings and the kernel's rules, computed once.
#pragma once

#include <cstdint>

#include "model/common/configuration.h"

namespace fcsim::model {

class Geometry {
 public:
  // Throws std::invalid_argument where no such file system can be mounted: the log would keep fewer
  // than `fast_commit.min_log_blocks` blocks beside the fast-commit area (1.3 of the fact sheet;
  // fs/jbd2/journal.c:jbd2_journal_initialize_fast_commit).
  Geometry(const FilesystemSettings& filesystem, const MountSettings& mount,
           const KernelRules& kernel);

  std::uint32_t block_size = 0;  // bytes
  std::uint32_t block_bits = 0;
  std::uint64_t block_count = 0;
  std::uint32_t blocks_per_group = 0;
  std::uint32_t group_count = 0;
  std::uint32_t first_data_block = 0;  // 1 with 1 KiB blocks, else 0

  std::uint32_t inodes_per_group = 0;
  std::uint32_t inodes_per_block = 0;
  std::uint32_t first_inode = 11;  // first inode number not reserved
  std::uint32_t flex_group_size = 1;
  std::uint32_t descriptors_per_block = 0;

  bool has_journal = false;
  bool fast_commit_active = false;
  std::uint32_t fast_commit_usable_blocks = 0;  // area less one; 0 when not active
  std::uint32_t log_blocks = 0;                 // the log proper
  std::uint32_t max_transaction_blocks = 0;     // "each up to N blocks"
  std::uint32_t transaction_overhead_blocks = 0;
  std::uint32_t tags_per_descriptor = 0;
  std::uint32_t revokes_per_block = 0;

  bool extents = true;
  // Blocks that a file without extents can have (fs/ext4/indirect.c:ext4_block_to_path).
  [[nodiscard]] std::uint64_t most_indirect_blocks() const {
    const std::uint64_t pointers = block_size / 4;
    return 12 + pointers + pointers * pointers + pointers * pointers * pointers;
  }
  bool inline_data = false;
  bool orphan_file = false;
  bool bigalloc = false;
  std::uint32_t inode_record_bytes = 0;  // raw inode bytes in an INODE record
  std::uint32_t inode_size = 0;          // bytes
  std::uint32_t extra_isize = 0;         // bytes
  std::uint32_t extents_per_leaf = 0;
  std::uint32_t directory_usable_bytes = 0;  // of a directory block without "." and ".."
};

}  // namespace fcsim::model
