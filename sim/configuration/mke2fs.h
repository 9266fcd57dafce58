// How mke2fs 1.47 sizes a journal and its fast-commit area.
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

}  // namespace fcsim::configuration
