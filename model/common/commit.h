// What the journal did: one record a commit, fast or full, and why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/common/operation.h"

namespace fcsim::model {

// The number of what a journal commits together: a JBD2 transaction, an XFS checkpoint.
using Sequence = std::uint32_t;
using Tid = Sequence;  // JBD2's name of it: transaction id

// Why a full commit happened. The order is the order of output.
enum class Cause : std::uint8_t {
  fast_commit_off,     // fsync or fdatasync of a file where fast commits are not active
  first_commit,        // no transaction was committed yet since the mount
  area_full,           // the fast commit did not fit into the area
  log_failed,          // the fast commit's log could not be made
  ineligible,          // something fast commits cannot log happened in the transaction
  snapshot_refused,    // inode state could not be copied (kernels with snapshots)
  directory_fsync,     // fsync of a directory or special file
  timer,               // kjournald's timer (not requested)
  expired,             // a handle stopped after the commit interval (requested)
  sync,                // sync, syncfs
  synchronous_handle,  // sync or dirsync mount, chattr +S or +D
  transaction_full,    // the next handle's credits did not fit
  log_space,           // the log had to be checkpointed
  no_space,            // an allocation was retried after a commit
  administration,      // resize, freeze, remount, unmount, move extents, journal flag
};
inline constexpr std::size_t kCauses = 15;

inline constexpr std::array<std::string_view, kCauses> kCauseNames = {
    "fast_commit_off",    "first_commit",     "area_full", "log_failed", "ineligible",
    "snapshot_refused",   "directory_fsync",  "timer",     "expired",    "sync",
    "synchronous_handle", "transaction_full", "log_space", "no_space",   "administration"};

inline std::string_view name(Cause cause) {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

// The four outcomes of ext4_fc_commit, numbered as the trace event ext4_fc_commit_stop prints them
// (fs/ext4/fast_commit.h).
enum class Outcome : std::uint8_t { ok = 0, ineligible = 1, skipped = 2, failed = 3 };

// The operation that led to a commit; line 0 and pid 0 for the kernel's own timers.
struct Origin {
  std::uint64_t line = 0;
  std::uint16_t source = 0;
  std::int32_t pid = 0;
  OperationKind kind = OperationKind::none;
  FileId file = kNoFile;
};

// One ext4_fc_commit call.
struct FastCommitRecord {
  Time start = 0;
  Time end = 0;
  Tid tid = 0;  // of the transaction that the call was about
  Outcome outcome = Outcome::ok;
  std::uint32_t blocks = 0;  // of the area used, outcome ok only
  std::uint32_t inodes = 0;  // INODE records in the main queue
  std::uint32_t ranges = 0;  // ADD_RANGE and DEL_RANGE records
  std::uint32_t names = 0;   // CREAT, LINK and UNLINK records
  Origin origin;
};

// One full JBD2 commit.
struct FullCommitRecord {
  Time opened = 0;  // when the transaction's first handle started
  Time start = 0;   // when the transaction began to commit
  Time end = 0;     // when the transaction was finished
  Tid tid = 0;
  Cause cause = Cause::timer;
  bool requested = false;
  std::uint32_t blocks = 0;         // metadata blocks (jbd2_run_stats "blocks")
  std::uint32_t blocks_logged = 0;  // with descriptors, revokes and the commit record
  std::uint32_t handles = 0;        // jbd2_run_stats "handle_count"
  std::uint32_t fast_commits = 0;   // OK fast commits of this transaction, ended by it
  Origin origin;
  std::uint16_t reason = 0xffff;  // cause ineligible: index of the first marking reason
  Origin marked_by;               // cause ineligible: the operation that marked first
};

// Why XFS wrote its log.
enum class CheckpointCause : std::uint8_t {
  fsync,            // fsync, fdatasync, msync, O_SYNC and O_DSYNC writes
  directory_fsync,  // fsync of a directory
  sync,             // sync, syncfs
  synchronous,      // a transaction of a wsync, sync or dirsync mount
  log_worker,       // the log worker's run
  covering,         // the log worker's dummy transaction
  background,       // the committed items grew beyond their limit
};
inline constexpr std::size_t kCheckpointCauses = 7;

inline constexpr std::array<std::string_view, kCheckpointCauses> kCheckpointCauseNames = {
    "fsync", "directory_fsync", "sync", "synchronous", "log_worker", "covering", "background"};

inline std::string_view name(CheckpointCause cause) {
  return kCheckpointCauseNames[static_cast<std::size_t>(cause)];
}

// One checkpoint of XFS: the write of everything committed since the last one.
struct CheckpointRecord {
  Sequence sequence = 0;
  Time opened = 0;  // when its first transaction was committed
  Time start = 0;   // when it was forced
  CheckpointCause cause = CheckpointCause::fsync;
  Origin origin;                   // who forced it; line 0: the kernel by itself
  std::uint64_t bytes = 0;         // of changes
  std::uint32_t iclogs = 0;        // buffers written for it
  std::uint32_t blocks = 0;        // of 512 bytes, written for it
  std::uint32_t transactions = 0;  // rolls counted
  std::uint32_t items = 0;         // inodes and buffers
  std::vector<Origin> changes;     // whose transactions went along, in order
};

// What a call that waits led to, as far as the device saw it.
enum class SyncResult : std::uint8_t { nothing, flush_only, log_write };
inline constexpr std::size_t kSyncResults = 3;

// Why XFS wrote its log for a sync call, or did not.
enum class SyncReason : std::uint8_t {
  changes,             // something that the call is about was not on disk
  nothing_pending,     // all of it was
  timestamps_only,     // fdatasync leaves these alone
  written_by_another,  // another call was writing it
  data_only,           // sync_file_range
};

// One sync call of XFS.
struct SyncRecord {
  Time end = 0;
  Origin origin;
  SyncResult result = SyncResult::nothing;
  SyncReason reason = SyncReason::nothing_pending;
};

// Sums over all full commits since the mount.
struct JournalTotals {
  std::uint64_t transactions = 0, requested = 0;
  std::uint64_t blocks = 0, blocks_logged = 0, handles = 0;
};

}  // namespace fcsim::model
