// What a run counts: the kernel's counters as a file system reports them, and the model's own.
// counter_table.h names and describes each of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/common/block_device.h"
#include "model/common/commit.h"

namespace fcsim::model {

// What could not be seen or was left out, in words, and how often.
using Unsupported = std::map<std::string, std::uint64_t>;

// Counts whose names are data, such as the reasons that a kernel profile lists.
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

// The lines of fc_info after "Snapshot stats:", kernels with snapshots only.
struct SnapshotCounters {
  std::uint64_t inodes = 0, ranges = 0;
  std::uint64_t es_miss = 0, es_delayed = 0, es_other = 0, inodes_cap = 0, ranges_cap = 0;
  std::uint64_t nomem = 0, inode_loc = 0, no_snap = 0;
};

// Memory that range trackers took in the inodes that fast commits read, in bytes, by
// `[range_tracking] storage`: what a tracker costs.
struct TrackerMemory {
  std::uint64_t inodes = 0;  // looked at, each time anew
  std::uint64_t bytes = 0;   // of all of them
  std::uint64_t most = 0;    // of one
  void add(std::uint64_t inode_bytes) {
    ++inodes;
    bytes += inode_bytes;
    most = most < inode_bytes ? inode_bytes : most;
  }
  void add(const TrackerMemory& other) {
    inodes += other.inodes;
    bytes += other.bytes;
    most = most < other.most ? other.most : most;
  }
  friend bool operator==(const TrackerMemory&, const TrackerMemory&) = default;
};

struct SyncCalls {  // calls that reached the traced file system
  std::uint64_t fsync = 0, fdatasync = 0, msync = 0, sync_write = 0, dsync_write = 0;
  std::uint64_t syncfs = 0, sync = 0, sync_file_range = 0;
};

// What the kernel's trace events of these names count (fs/xfs/xfs_trace.h).
struct XfsLogCounters {
  std::uint64_t log_reserve = 0;
  std::uint64_t trans_commit = 0;  // rolls included, cancelled transactions not
  std::uint64_t trans_roll = 0;
  std::uint64_t log_force = 0;
  std::uint64_t iclog_writes = 0;
  std::uint64_t iclog_syncs = 0;
  std::uint64_t log_blocks = 0;  // of 512 bytes
  // of /sys/fs/xfs/DEV/stats/stats alone
  std::uint64_t log_force_sleep = 0;  // forces that waited for a write
  std::uint64_t trans_sync = 0;       // transactions that forced the log themselves
  friend bool operator==(const XfsLogCounters&, const XfsLogCounters&) = default;
};

struct XfsCounters : XfsLogCounters {
  std::uint64_t update_time = 0;                          // access times included
  std::array<std::uint64_t, kCheckpointCauses> causes{};  // of log writes
};

// A new counter is a member here and a row in counter_table.cpp.
struct Counters {
  // fc_info
  std::uint64_t commits = 0, ineligible = 0, numblks = 0;
  NamedCounts reasons;  // every reason the kernel prints
  bool has_snapshot = false;
  SnapshotCounters snapshot;
  TrackerMemory tracker_memory;  // of the inodes with ranges that fast commits looked at
  // jbd2 info
  bool has_journal = true;
  std::uint64_t transactions = 0, requested = 0;
  std::uint64_t blocks = 0, blocks_logged = 0, handles = 0;  // sums over all transactions
  std::uint64_t max_transaction_blocks = 0;
  // what the files do not show
  bool fast_commit_active = false;
  std::uint64_t skipped = 0, failed = 0;        // outcomes of ext4_fc_commit without a counter
  std::uint64_t directory_fsyncs = 0;           // fsyncs that never reach the fast-commit path
  std::array<std::uint64_t, kCauses> causes{};  // sum == transactions
  // what the engine counts
  SyncCalls sync_calls;
  std::uint64_t operations = 0;  // replayed
  // XFS; ext4's counters above are 0 then
  bool has_xfs = false;
  XfsCounters xfs;
  // what the device was asked
  bool has_block_device = false;
  BlockDeviceCounters block_device;
  // "fsync:log_write" and the like, sorted: what each sync call led to, where the file system says
  // so; O_SYNC writes are not in it.
  NamedCounts sync_results;
};

}  // namespace fcsim::model
