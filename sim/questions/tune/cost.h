// What commits cost on a device: journal blocks, cache flushes, time.
#pragma once

#include <cstdint>

#include "model/common/configuration.h"
#include "sim/engine/commit_cost.h"
#include "sim/engine/prediction.h"

namespace fcsim::questions::tune {

// The journal's share of a run.
struct JournalCost {
  std::uint64_t commits = 0, ineligible = 0, numblks = 0;  // as fc_info counts
  std::uint64_t transactions = 0, blocks_logged = 0;       // full commits
  std::uint64_t area_full = 0, snapshot_refused = 0;       // causes of full commits
  std::uint64_t journal_blocks = 0;                        // numblks + blocks_logged
  std::uint64_t flushes = 0;                               // one a commit, 0 without barriers
  double device_us = 0;
};

// Needs the prediction's lists of commits.
JournalCost cost_of(const engine::Prediction& prediction,
                    const model::Configuration& configuration);

// Blocks of a fast commit that holds `ranges` ADD_RANGE records of one inode and that inode,
// without the HEAD of the first one in a transaction.
std::uint64_t fast_commit_blocks(std::uint64_t ranges, const model::FilesystemSettings& filesystem);

// The smallest number of ranges for which fast_commit_blocks() * count > blocks: a fast commit then
// costs more than the mean of `count` full commits of `blocks` blocks in all. count > 0.
std::uint64_t ranges_beyond(std::uint64_t blocks, std::uint64_t count,
                            const model::FilesystemSettings& filesystem);

}  // namespace fcsim::questions::tune
