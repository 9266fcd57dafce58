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

// The same from a text of ftrace (trace, trace_pipe), `trace-cmd report` or `perf script`, with the
// events ext4_fc_commit_start and _stop, jbd2_start_commit and jbd2_run_stats. Lines that are no
// events are passed over; times stay those of the text's clock. `device`, "MAJOR,MINOR": of the
// file system; "": the only one that the text has commits of. Throws InputError where there are
// none, or there are several devices and none is named.
KernelCommits read_trace_text(const std::string& path, const std::string& device);

}  // namespace fcsim::questions::validate
