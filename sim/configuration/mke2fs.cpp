#include "sim/configuration/mke2fs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "model/common/error.h"

namespace fcsim::configuration {
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

// As mke2fs spreads `wanted` inodes over the groups (lib/ext2fs/initialize.c).
std::uint32_t inodes_of_group(const model::FilesystemSettings& fs, std::uint64_t groups,
                              std::uint64_t wanted) {
  const std::uint64_t inodes_a_block = std::max<std::uint64_t>(fs.block_size / fs.inode_size, 1);
  const std::uint64_t inodes = rounded_up((wanted + groups - 1) / groups, inodes_a_block);
  // Full blocks of the table, then down to a multiple of 8.
  const std::uint64_t even = std::max<std::uint64_t>(inodes / 8 * 8, 8);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(even, 8 * std::uint64_t{fs.block_size}));
}

std::uint64_t first_block(const model::FilesystemSettings& fs) {
  return fs.block_size == 1024 ? 1 : 0;
}

std::uint64_t groups_of(const model::FilesystemSettings& fs) {
  const std::uint64_t blocks = std::max<std::uint64_t>(fs.block_count, first_block(fs) + 1);
  return (blocks - first_block(fs) + fs.blocks_per_group - 1) / fs.blocks_per_group;
}

void choose_inodes(const GivenGeometry& given, model::FilesystemSettings& fs) {
  if (!given.inodes_per_group) {
    const std::uint64_t bytes = fs.block_count * fs.block_size;
    const std::uint64_t wanted = given.inode_count
                                     ? fs.inode_count
                                     : std::max<std::uint64_t>(bytes / inode_ratio(bytes), 16);
    fs.inodes_per_group = inodes_of_group(fs, groups_of(fs), wanted);
  }
  if (!given.block_count)
    fs.block_count =
        without_stub(fs.block_count, first_block(fs), fs.blocks_per_group,
                     std::uint64_t{fs.inodes_per_group} * fs.inode_size / fs.block_size);
  if (!given.inode_count)
    fs.inode_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        groups_of(fs) * fs.inodes_per_group, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

const std::vector<std::string>& default_features() {
  static const std::vector<std::string> features = {
      "has_journal", "ext_attr",  "resize_inode", "dir_index",   "fast_commit",
      "filetype",    "extent",    "64bit",        "flex_bg",     "sparse_super",
      "large_file",  "huge_file", "dir_nlink",    "extra_isize", "metadata_csum"};
  return features;
}

std::uint32_t default_journal_blocks(std::uint64_t filesystem_blocks) {
  struct Step {
    std::uint64_t below;
    std::uint32_t blocks;
  };
  // lib/ext2fs/mkjournal.c, ext2fs_default_journal_size
  static constexpr std::array<Step, 8> kSteps = {{{2048, 0},
                                                  {32768, 1024},
                                                  {256 * 1024, 4096},
                                                  {512 * 1024, 8192},
                                                  {4096 * 1024, 16384},
                                                  {8192 * 1024, 32768},
                                                  {16384 * 1024, 65536},
                                                  {32768 * 1024, 131072}}};
  for (const Step& step : kSteps)
    if (filesystem_blocks < step.below) return step.blocks;
  return 262144;
}

FastCommitSize fast_commit_size(const model::FilesystemSettings& filesystem, std::int64_t kib) {
  FastCommitSize size;
  const std::uint32_t log = filesystem.journal_blocks > filesystem.fast_commit_blocks
                                ? filesystem.journal_blocks - filesystem.fast_commit_blocks
                                : filesystem.journal_blocks;
  if (!filesystem.has("fast_commit")) {
    size.journal_blocks = log;
    size.note = "fast_commit_kib: mke2fs ignores it without the feature fast_commit";
    return size;
  }
  std::int64_t area = 0;
  if (kib <= 0) {
    area = default_journal_blocks(filesystem.block_count) / 64;
    size.note = "fast_commit_kib: 0 or less is 'not given' to mke2fs: " + std::to_string(area) +
                " blocks, 1/64 of the default journal";
  } else {
    area = kib * 1024 / filesystem.block_size;
    if (area == 0)
      size.note =
          "fast_commit_kib: less than one block is stored as 0, which the kernel reads as its "
          "default area, taken out of the journal";
  }
  // misc/util.c figures the limit from the free blocks; half of all blocks is that but for the
  // few that the file system itself takes.
  if (static_cast<std::uint64_t>(area) + log > filesystem.block_count / 2) {
    size.refusal = "mke2fs refuses a fast-commit area of " + std::to_string(kib) +
                   " KiB here: the journal would exceed half of the file system";
    return size;
  }
  size.area_blocks = static_cast<std::uint32_t>(area);
  size.journal_blocks = log + size.area_blocks;
  return size;
}

void choose_geometry(std::uint64_t bytes, const GivenGeometry& given, bool fast_commit_area,
                     model::FilesystemSettings& fs) {
  if (!given.block_size) fs.block_size = bytes < 512 * kMiB ? 1024 : 4096;
  if (!given.block_count) fs.block_count = bytes / fs.block_size;
  if (!given.blocks_per_group) fs.blocks_per_group = fs.block_size * 8;
  choose_inodes(given, fs);
  const std::uint32_t log = fs.has("has_journal") ? default_journal_blocks(fs.block_count) : 0;
  if (!given.fast_commit_blocks) fs.fast_commit_blocks = fast_commit_area ? log / 64 : 0;
  if (!given.journal_blocks) fs.journal_blocks = log == 0 ? 0 : log + fs.fast_commit_blocks;
}

model::FilesystemSettings make_file_system(std::uint64_t bytes,
                                           std::optional<std::int64_t> fast_commit_kib) {
  model::FilesystemSettings fs;
  fs.features = default_features();
  choose_geometry(bytes, {}, false, fs);
  if (fs.block_count > 0xffffffffU)
    throw model::InputError({}, "a file system of more than " +
                                    std::to_string((std::uint64_t{0xffffffffU} * 4096) / kGiB) +
                                    " GiB is not supported");
  if (fs.journal_blocks == 0)
    throw model::InputError({}, "mke2fs makes no journal on " + std::to_string(bytes) +
                                    " bytes: expected a size of at least 2 MiB");
  const FastCommitSize area = fast_commit_size(fs, fast_commit_kib.value_or(0));
  if (area.refusal) throw model::InputError({}, *area.refusal);
  fs.fast_commit_blocks = area.area_blocks;
  fs.journal_blocks = area.journal_blocks;
  return fs;
}

}  // namespace fcsim::configuration
