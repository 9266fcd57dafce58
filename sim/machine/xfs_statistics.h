// What the kernel counts of a mounted XFS in /sys/fs/xfs/DEV/stats/stats.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::machine {

// Of the lines "log" and "trans" (fs/xfs/xfs_stats.c of 6.12), by the names of the trace events
// that count the same.
struct XfsStatistics {
  std::uint64_t iclog_writes = 0;
  std::uint64_t log_blocks = 0;    // of 512 bytes
  std::uint64_t trans_commit = 0;  // synchronous, asynchronous and empty ones
};

// Numbers that are not there are 0.
XfsStatistics parse_xfs_statistics(std::string_view text);

// What was counted between.
XfsStatistics difference(const XfsStatistics& before, const XfsStatistics& after);

}  // namespace fcsim::machine
