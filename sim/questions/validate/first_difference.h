// Where a prediction first goes wrong: its commits against the kernel's, one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/common/commit.h"
#include "sim/engine/prediction.h"
#include "sim/questions/validate/kernel_commits.h"

namespace fcsim::questions::validate {

// Transaction ids are compared by their distance from the first one seen on either side, because a
// recording may begin on a file system that had committed before.
model::Tid first_tid(const KernelCommits& kernel);
model::Tid first_tid(const engine::Prediction& prediction);

// How many full commits have the kernel's block counts.
struct BlockShare {
  std::uint64_t full_commits = 0;   // the kernel's
  std::uint64_t equal = 0;          // of them: predicted with the same blocks and blocks_logged
  std::uint64_t equal_handles = 0;  // ... and with the same handle_count
};

BlockShare compare_blocks(const engine::Prediction& prediction, const KernelCommits& kernel);

struct FirstDifference {
  bool full = false;        // a full commit; else a call of ext4_fc_commit
  std::size_t number = 0;   // how many of its kind came before
  model::Time time = 0;     // when the kernel's began (the predicted one's if there is none)
  std::int32_t pid = 0;     // who called in the kernel, 0: not known
  std::string predicted;    // "ok, 1 block, tid 3" or "nothing"
  std::string kernel;       // likewise
  model::Origin origin;     // of the predicted record; line 0: none, or a timer
  bool has_origin = false;  // there is a predicted record
  bool in_kernel = false;   // there is a record of the kernel's
};

// The prediction must have kept its commits. `with_blocks`: block counts of full commits matter
// too.
std::optional<FirstDifference> find_first_difference(const engine::Prediction& prediction,
                                                     const KernelCommits& kernel, bool with_blocks);

}  // namespace fcsim::questions::validate
