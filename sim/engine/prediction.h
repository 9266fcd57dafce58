// The answer: the kernel's counters as one run of the engine predicts them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/common/commit.h"
#include "model/fast_commit/fast_commit.h"

namespace fcsim::engine {

// The lines of fc_info after "Snapshot stats:", kernels with snapshots only.
struct SnapshotCounters {
  std::uint64_t inodes = 0, ranges = 0;
  std::uint64_t es_miss = 0, es_delayed = 0, es_other = 0, inodes_cap = 0, ranges_cap = 0;
  std::uint64_t nomem = 0, inode_loc = 0, no_snap = 0;
};

struct SyncCalls {  // calls that reached the traced file system
  std::uint64_t fsync = 0, fdatasync = 0, msync = 0, sync_write = 0, dsync_write = 0;
  std::uint64_t syncfs = 0, sync = 0, sync_file_range = 0;
};

struct Stage;

struct Prediction {
  // fc_info
  std::uint64_t commits = 0, ineligible = 0, numblks = 0;
  std::vector<std::pair<std::string, std::uint64_t>> reasons;  // every reason the kernel prints
  bool has_snapshot = false;
  SnapshotCounters snapshot;
  model::fast_commit::TrackerMemory
      tracker_memory;                   // of the inodes with ranges that fast commits looked at
  std::uint64_t average_commit_us = 0;  // modelled device time, never to be compared
  // jbd2 info
  bool has_journal = true;
  std::uint64_t transactions = 0, requested = 0;
  std::uint64_t blocks = 0, blocks_logged = 0, handles = 0;  // sums over all transactions
  std::uint64_t max_transaction_blocks = 0;
  // what the files do not show
  bool fast_commit_active = false;
  std::uint64_t skipped = 0, failed = 0;  // outcomes of ext4_fc_commit without a counter
  std::uint64_t directory_fsyncs = 0;     // fsyncs that never reach the fast-commit path
  std::array<std::uint64_t, model::kCauses> causes{};  // sum == transactions
  SyncCalls sync_calls;
  std::uint64_t operations = 0;  // replayed
  // every call of ext4_fc_commit and every full commit in order of their ends; kept when asked for
  std::vector<model::FastCommitRecord> fast_commits;
  std::vector<model::FullCommitRecord> full_commits;
  // what the answer rests on
  std::vector<std::string> assumed;                  // sentences, in a fixed order
  std::map<std::string, std::uint64_t> unsupported;  // what could not be seen, and how often
  // Where an administrator's steps lay between the runs of the command: each run alone. The
  // counters above are their sums; the lists of commits hold what the steps themselves committed as
  // well.
  std::vector<Stage> stages;
};

// One run of the command. Only counters are filled in.
struct Stage {
  std::string admin;  // the step before it, "" for the first
  Prediction counted;
};

// What happened between two readings of one mount, and what two parts come to; counters alone.
// max_transaction_blocks and what is no count are those of `later`.
Prediction difference(const Prediction& later, const Prediction& earlier);
Prediction sum(const Prediction& earlier, const Prediction& later);

}  // namespace fcsim::engine
