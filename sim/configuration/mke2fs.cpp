#include "sim/configuration/mke2fs.h"

#include <array>

namespace fcsim::configuration {

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

}  // namespace fcsim::configuration
