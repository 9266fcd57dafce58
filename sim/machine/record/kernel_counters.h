// The kernel's own counters of a mounted ext4: what a prediction is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fcsim::machine::record {

// The counters since the mount. Lists are in the order in which the kernel prints them.
struct KernelCounters {
  using Named = std::vector<std::pair<std::string, std::uint64_t>>;
  std::uint64_t commits = 0, ineligible = 0, numblks = 0;  // fc_info
  Named reasons;
  Named snapshot;  // of kernels with commit-time snapshots
  std::uint64_t transactions = 0, requested = 0, max_transaction_blocks = 0;  // jbd2/info; 0: none
};

// Parses the text of /proc/fs/ext4/DEV/fc_info and /proc/fs/jbd2/DEV-8/info ("": no journal).
// Throws InputError where fc_info lacks a counter.
KernelCounters parse_kernel_counters(const std::string& fc_info, const std::string& jbd2_info);

// nullopt: the kernel shows none for that device.
std::optional<KernelCounters> read_kernel_counters(const std::string& device);

// What was counted between; a reason that is not among those before began at 0.
KernelCounters difference(const KernelCounters& before, const KernelCounters& after);

struct RecordedRun {
  int exit_status = 0;
  std::int64_t started_ns = 0;  // CLOCK_REALTIME
  std::int64_t read_at_ns = 0;
};

// truth.toml; `counted` is a difference, its max_transaction_blocks as read.
std::string truth_text(const KernelCounters& counted, const RecordedRun& run);

}  // namespace fcsim::machine::record
