// The text of /proc/fs/ext4/DEV/fc_info and /proc/fs/jbd2/DEV-8/info.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fcsim::machine {

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

// Of jbd2/info alone; what is not of its form counts 0.
KernelCounters parse_jbd2_info(const std::string& text);

}  // namespace fcsim::machine
