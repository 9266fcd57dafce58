#include "sim/machine/file_system.h"

#include <algorithm>
#include <string>

#include "model/common/error.h"
#include "sim/configuration/mke2fs.h"

namespace fcsim::machine {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;

// Bytes for which mke2fs makes one inode, by the sizes of /etc/mke2fs.conf's types.
std::uint64_t inode_ratio(std::uint64_t bytes) {
  if (bytes < 3 * kMiB) return 8192;         // floppy
  if (bytes < 512 * kMiB) return 4096;       // small
  if (bytes < 4 * kTiB) return 16384;        // the default
  return bytes < 16 * kTiB ? 32768 : 65536;  // big, huge
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// A last group too small for its own tables is left out (lib/ext2fs/initialize.c).
std::uint64_t without_stub(std::uint64_t blocks, std::uint64_t first, std::uint64_t group,
                           std::uint64_t table_blocks) {
  const std::uint64_t rest = (blocks - first) % group;
  return rest != 0 && rest < table_blocks + 3 + 50 && blocks > group ? blocks - rest : blocks;
}

}  // namespace

model::FilesystemSettings make_file_system(std::uint64_t bytes,
                                           std::optional<std::int64_t> fast_commit_kib) {
  model::FilesystemSettings fs;
  fs.features = configuration::default_features();
  fs.block_size = bytes < 512 * kMiB ? 1024 : 4096;
  fs.blocks_per_group = fs.block_size * 8;
  const std::uint64_t first = fs.block_size == 1024 ? 1 : 0;
  std::uint64_t blocks = bytes / fs.block_size;
  if (blocks > 0xffffffffU)
    throw model::InputError({}, "a file system of more than " +
                                    std::to_string((std::uint64_t{0xffffffffU} * 4096) / kGiB) +
                                    " GiB is not supported");
  if (configuration::default_journal_blocks(blocks) == 0)
    throw model::InputError({}, "mke2fs makes no journal on " + std::to_string(bytes) +
                                    " bytes: expected a size of at least 2 MiB");
  const std::uint64_t per_group = fs.blocks_per_group;
  const std::uint64_t wanted = std::max<std::uint64_t>(bytes / inode_ratio(bytes), 16);
  const std::uint64_t inodes_a_block = fs.block_size / fs.inode_size;
  std::uint64_t groups = (blocks - first + per_group - 1) / per_group;
  std::uint64_t inodes = rounded_up((wanted + groups - 1) / groups, inodes_a_block);
  inodes = rounded_up(inodes, 8);
  blocks = without_stub(blocks, first, per_group, inodes / inodes_a_block);
  groups = (blocks - first + per_group - 1) / per_group;
  fs.block_count = blocks;
  fs.inodes_per_group = static_cast<std::uint32_t>(inodes);
  fs.inode_count = static_cast<std::uint32_t>(inodes * groups);
  fs.journal_blocks = configuration::default_journal_blocks(blocks);
  fs.fast_commit_blocks = 0;
  const configuration::FastCommitSize area = configuration::fast_commit_size(fs, fast_commit_kib.value_or(0));
  if (area.refusal) throw model::InputError({}, *area.refusal);
  fs.fast_commit_blocks = area.area_blocks;
  fs.journal_blocks = area.journal_blocks;
  return fs;
}

}  // namespace fcsim::machine
