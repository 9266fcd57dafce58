#include "model/common/geometry.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <string>

namespace fcsim::model {
namespace {

constexpr std::uint32_t kJournalHeaderBytes = 12;  // journal_header_t
constexpr std::uint32_t kUuidBytes = 16;           // follows the first tag of a descriptor

// Bytes of one block tag: 16 with checksum v3 (metadata_csum), else 12 with 64bit, else 8
// (fs/jbd2/journal.c:journal_tag_bytes).
std::uint32_t tag_bytes(bool csum, bool wide) {
  return csum ? 16 : wide ? 12 : 8;
}

// Blocks that one descriptor can describe: tags are placed while another one and the tail fit
// (fs/jbd2/commit.c:jbd2_journal_commit_transaction).
std::uint32_t tags_in_descriptor(std::uint32_t block_size, std::uint32_t tag, std::uint32_t tail) {
  std::uint32_t count = 1;
  while (block_size - kJournalHeaderBytes - kUuidBytes - tag * count >= tag + kUuidBytes + tail)
    ++count;
  return count;
}

void set_layout(Geometry& g, const FilesystemSettings& fs) {
  g.block_size = fs.block_size;
  g.block_bits = static_cast<std::uint32_t>(std::countr_zero(fs.block_size));
  g.block_count = fs.block_count;
  g.blocks_per_group = fs.blocks_per_group;
  g.first_data_block = fs.block_size == 1024 ? 1 : 0;
  g.group_count = static_cast<std::uint32_t>(
      (fs.block_count - g.first_data_block + fs.blocks_per_group - 1) / fs.blocks_per_group);
  g.inodes_per_group = fs.inodes_per_group;
  g.inode_size = fs.inode_size;
  g.inodes_per_block = fs.block_size / fs.inode_size;
  g.flex_group_size = fs.has("flex_bg") ? std::max(1U, fs.flex_group_size) : 1;
  g.descriptors_per_block = fs.block_size / (fs.has("64bit") ? 64 : 32);
  g.extents = fs.has("extent") || fs.has("extents");
  g.inline_data = fs.has("inline_data");
  g.orphan_file = fs.has("orphan_file");
  g.bigalloc = fs.has("bigalloc");
  g.extra_isize = fs.inode_size > 128 ? fs.extra_isize : 0;
  g.inode_record_bytes = 128 + g.extra_isize;
  const std::uint32_t csum_tail = fs.has("metadata_csum") ? 4 : 0;
  g.extents_per_leaf = (fs.block_size - 12 - csum_tail) / 12;
  g.directory_usable_bytes = fs.block_size - (csum_tail != 0 ? 12 : 0);
}

void set_journal(Geometry& g, const FilesystemSettings& fs, const MountSettings& mount,
                 const KernelRules& kernel) {
  g.has_journal = fs.has("has_journal") && fs.journal_blocks != 0;
  if (!g.has_journal) return;
  g.fast_commit_active = fs.has("fast_commit") && mount.data != DataMode::journal;
  std::uint32_t area = 0;
  if (g.fast_commit_active)
    area = fs.fast_commit_blocks != 0 ? fs.fast_commit_blocks : kernel.fast_commit.default_blocks;
  if (g.fast_commit_active && fs.journal_blocks < area + kernel.fast_commit.min_log_blocks)
    throw std::invalid_argument(
        "a journal of " + std::to_string(fs.journal_blocks) +
        " blocks cannot hold a fast-commit area of " + std::to_string(area) + " blocks and the " +
        std::to_string(kernel.fast_commit.min_log_blocks) + " blocks of log that the mount wants");
  g.fast_commit_usable_blocks = area == 0 ? 0 : area - 1;
  g.log_blocks = fs.journal_blocks - area;
  g.max_transaction_blocks = g.log_blocks / kernel.jbd2.transaction_divisor;

  const bool csum = fs.has("metadata_csum");
  const bool wide = fs.has("64bit");
  const std::uint32_t tail = csum ? 4 : 0;
  const std::uint32_t tag = tag_bytes(csum, wide);
  g.tags_per_descriptor = std::min(tags_in_descriptor(fs.block_size, tag, tail), 512U);
  g.revokes_per_block = (fs.block_size - 16 - tail) / (wide ? 8 : 4);
  const std::uint32_t per_block =
      (fs.block_size - kJournalHeaderBytes - kUuidBytes - tail - kUuidBytes) / tag;
  g.transaction_overhead_blocks = 1 + (g.max_transaction_blocks + per_block - 1) / per_block;
}

}  // namespace

Geometry::Geometry(const FilesystemSettings& filesystem, const MountSettings& mount,
                   const KernelRules& kernel) {
  assert(std::has_single_bit(filesystem.block_size));
  assert(kernel.jbd2.transaction_divisor != 0);
  set_layout(*this, filesystem);
  set_journal(*this, filesystem, mount, kernel);
  assert(inodes_per_block != 0);
}

}  // namespace fcsim::model
