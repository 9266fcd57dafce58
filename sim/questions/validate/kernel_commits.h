// The commits as the kernel's own trace events told them: a bundle's commits.tsv.zst.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/common/commit.h"

namespace fcsim::questions::validate {

// ext4_fc_commit_start and _stop of one call.
struct KernelFastCommit {
  model::Time start = 0;
  model::Time end = 0;
  model::Tid tid = 0;
  model::Outcome outcome = model::Outcome::ok;
  std::uint32_t blocks = 0;
  std::int32_t pid = 0;
};

// jbd2_start_commit and jbd2_run_stats of one transaction.
struct KernelFullCommit {
  model::Time start = 0;  // kjournald began; the request came before
  model::Time end = 0;
  model::Tid tid = 0;
  std::uint32_t blocks = 0;
  std::uint32_t blocks_logged = 0;
  std::uint32_t handles = 0;
};

struct KernelCommits {
  std::vector<KernelFastCommit> fast;  // in the order in which they began
  std::vector<KernelFullCommit> full;  // in the order of their tids
};

// Events of other kinds are passed over. Throws InputError with the line that cannot be read.
KernelCommits read_kernel_commits(const std::string& path);

}  // namespace fcsim::questions::validate
