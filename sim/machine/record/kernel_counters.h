// The kernel's own counters of a mounted ext4 or XFS: what a prediction is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/machine/kernel_counters.h"
#include "sim/machine/xfs_statistics.h"

namespace fcsim::machine::record {

// nullopt: the kernel shows none for that device.
std::optional<KernelCounters> read_kernel_counters(const std::string& device);
std::optional<XfsStatistics> read_xfs_statistics(const std::string& device);

// What was counted between; a reason that is not among those before began at 0.
KernelCounters difference(const KernelCounters& before, const KernelCounters& after);

struct RecordedRun {
  int exit_status = 0;
  std::int64_t started_ns = 0;  // CLOCK_REALTIME
  std::int64_t read_at_ns = 0;
};

// truth.toml; `counted` is a difference, its max_transaction_blocks as read.
std::string truth_text(const KernelCounters& counted, const RecordedRun& run);
// XFS: the counters that its statistics have.
std::string truth_text(const XfsStatistics& counted, const RecordedRun& run);

}  // namespace fcsim::machine::record
