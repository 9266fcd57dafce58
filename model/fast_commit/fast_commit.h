// ext4's fast-commit log: what is tracked, what makes a transaction ineligible, and what one fast
// commit writes.
//
// Facts: fs/ext4/fast_commit.c of 6.1, 6.12 and 6.18, run on 6.18. The queues hold file ids; what
// an inode looks like and where its blocks are comes from an InodeSource, so that this part can be
// tested alone.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "model/common/commit.h"
#include "model/common/configuration.h"
#include "model/common/counters.h"
#include "model/common/geometry.h"
#include "model/common/limit.h"
#include "model/fast_commit/log_packer.h"
#include "model/fast_commit/range_tracking/range_tracker.h"
#include "model/journal.h"

namespace fcsim::model::fast_commit {

// Why a transaction cannot be fast-committed, in the order of fs/ext4/fast_commit.h.
enum class Reason : std::uint8_t {
  extended_attributes,
  cross_rename,
  journal_flag,
  insufficient_memory,
  swap_boot,
  resize,
  directory_rename,
  fallocate_range,
  data_journalling,
  encrypted_filename,
  migration,
  verity,
  move_extents,
};
inline constexpr std::size_t kReasons = 13;

// What the log keeps about one inode; lives in the inode.
struct TrackedInode {
  enum class Queue : std::uint8_t { none, main, staging };
  Queue queue = Queue::none;
  bool has_create_record = false;
  bool create_in_staging = false;
  bool requeued = false;              // changed while its snapshot is being written
  std::uint32_t position = 0;         // in its inode queue
  std::uint32_t create_position = 0;  // of its CREAT record in the dentry queue
  std::uint32_t first_record = 0;     // its copy among the snapshot's range records
  std::uint32_t end_record = 0;
  Tid sync_tid = 0;       // i_sync_tid: what fsync waits for
  FileId file = kNoFile;  // whose they are, if it has come to exist
  range_tracking::TrackedRanges ranges;
};

// How the walk over an inode's ranges ended; all but `complete` need `[snapshot]`.
enum class RangeWalk : std::uint8_t { complete, not_cached, delayed, unmappable };

// Sizes in bytes of range records, in the order they are logged.
using RangeRecords = std::vector<std::uint8_t>;

class InodeSource {
 public:
  virtual ~InodeSource() = default;
  [[nodiscard]] virtual TrackedInode& tracked(FileId file) = 0;
  // Raw bytes of the inode in an INODE record.
  [[nodiscard]] virtual std::uint32_t raw_inode_bytes(FileId file) const = 0;
  // Appends the ADD_RANGE and DEL_RANGE records of the inode's ranges. The walk may stop once there
  // are more than `most`, with which the fast commit fails whatever follows.
  virtual RangeWalk walk_ranges(FileId file, RangeRecords& records, std::size_t most) const = 0;
};

enum class DentryKind : std::uint8_t { create, link, unlink };

// What ext4_fc_commit decided when it was called.
enum class Attempt : std::uint8_t {
  skipped,     // the transaction is on disk already
  must_wait,   // a fast or full commit is going on: sleep until it ends, then ask again
  first,       // FAILED: no transaction was committed since the mount
  ineligible,  // INELIGIBLE: the flag is set
  failed,      // FAILED: the log does not fit
  log_failed,  // FAILED: the log cannot be made
  refused,     // INELIGIBLE: snapshot refused
  begun,       // no other begins; write_log() goes on once the data of queued() is on disk
  started,     // the log is being written; finish() ends it
};

// The lines of fc_info behind "Snapshot stats:" and "Snapshot failures:" that can move.
struct SnapshotCounts {
  std::uint64_t inodes = 0, ranges = 0;
  std::uint64_t not_cached = 0, delayed = 0, inodes_cap = 0, ranges_cap = 0;
};

struct FastCommitCounters {
  std::uint64_t commits = 0, ineligible = 0, numblks = 0, skipped = 0, failed = 0;
  std::array<std::uint64_t, kReasons> reasons{};
  SnapshotCounts snapshot;
  TrackerMemory memory;
};

class FastCommit final : public JournalObserver {
 public:
  FastCommit(const Geometry& geometry, const KernelRules& kernel, Journal& journal,
             InodeSource& inodes);

  [[nodiscard]] bool active() const { return geometry_.fast_commit_active; }

  // ---- tracking, called with a handle open ----
  // An inode was written to its table buffer. `unloggable`: it counts as data-journalled (all but
  // regular files and directories do), `marks` times for this update.
  void track_inode(FileId file, bool unloggable, std::uint32_t marks, const Origin& origin);
  void track_range(FileId file, std::uint32_t start, std::uint32_t end);
  void track_dentry(DentryKind kind, FileId file, std::uint32_t name_length);
  // The inode leaves memory because its file is gone (ext4_fc_del).
  void forget(FileId file);
  // The inode leaves memory though its file lives on: the transaction is ineligible if it is queued
  // (fs/ext4/inode.c:ext4_evict_inode).
  void leave_memory(FileId file, const Origin& origin);
  // update_tids: the inode's sync tid is the running transaction's.
  void touch_inode(TrackedInode& inode);
  // The inode was read from disk: its sync tid is the newest transaction's.
  void read_inode(TrackedInode& inode);
  void mark(Reason reason, std::uint32_t times, const Origin& origin);
  // Only where the transaction is not ineligible yet.
  void mark_once(Reason reason, const Origin& origin);

  // ---- committing ----
  [[nodiscard]] Attempt attempt(Tid tid);
  // After `begun`: started, or failed, log_failed, refused.
  [[nodiscard]] Attempt write_log();
  // The log that write_log() started is on disk.
  FastCommitRecord finish();
  // JournalObserver: a full commit locks its transaction, or waits to. The area is given back, and
  // new fast commits wait.
  void on_closed() override {
    used_blocks_ = 0;
    full_running_ = true;
  }
  void on_commit(FullCommitRecord& record) override;
  void count_skipped() { ++counters_.skipped; }

  // Mounted again after an unmount: empty queues, counters at 0. The inodes' own marks are the
  // caller's to clear.
  void mount_again();

  // Whether everything would have been the same with an area of another size, other limits of
  // ranges and of snapshots. Of `memory`, what the tracker took, a limit that takes memory is put
  // right.
  [[nodiscard]] bool holds_for(const Geometry& geometry, const KernelRules& kernel,
                               TrackerMemory& memory) const;

  // The inodes whose records a fast commit writes now; kNoFile: gone.
  [[nodiscard]] const std::vector<FileId>& queued() const { return main_; }
  // A fast commit has begun, and is being written.
  [[nodiscard]] bool ongoing() const { return ongoing_; }
  [[nodiscard]] bool writing() const { return writing_; }
  // The inode is part of the fast commit that is being written.
  [[nodiscard]] bool committing(const TrackedInode& inode) const {
    return writing_ && inode.queue == TrackedInode::Queue::main;
  }
  [[nodiscard]] std::uint32_t generation() const { return generation_; }  // s_fc_subtid
  [[nodiscard]] const FastCommitCounters& counters() const { return counters_; }
  [[nodiscard]] const FastCommitRecord& current() const { return current_; }

 private:
  struct Dentry {
    DentryKind kind = DentryKind::create;
    std::uint16_t name_length = 0;
    FileId file = kNoFile;  // CREAT only; kNoFile once the inode is gone
    bool dropped = false;
  };

  bool track(FileId file, TrackedInode& inode);
  void enqueue(FileId file, TrackedInode& inode);
  void cleanup(bool full, Tid tid);
  void fail_attempt(bool failed);
  [[nodiscard]] bool take_snapshot();
  [[nodiscard]] bool copy_inode(FileId file);
  void build(LogPacker& log);
  void add_ranges(FileId file, LogPacker& log);
  [[nodiscard]] std::size_t most_range_records() const;
  [[nodiscard]] bool staging() const { return full_running_ || ongoing_; }

  const Geometry& geometry_;
  const KernelRules& kernel_;
  Journal& journal_;
  InodeSource& inodes_;
  std::unique_ptr<range_tracking::RangeTracker> tracker_;
  Limit area_;                             // blocks of one transaction's fast commits
  Limit snapshot_inodes_, snapshot_most_;  // inodes and ranges of one attempt

  std::vector<FileId> main_, staging_;
  std::vector<Dentry> main_dentries_, staging_dentries_;
  bool ineligible_ = false;
  Tid ineligible_tid_ = 0;
  // What is known of a transaction that is open or being committed, for its record.
  struct OfTransaction {
    Tid tid = 0;
    std::uint32_t fast_commits = 0;
    std::uint16_t reason = 0xffff;  // the first that marked it ineligible
    Origin marked_by;
  };
  OfTransaction& of_running();
  boost::container::small_vector<OfTransaction, 2> transactions_;  // ascending by tid
  bool full_running_ = false;
  bool ongoing_ = false;
  bool writing_ = false;
  std::uint32_t used_blocks_ = 0;  // of the area, by this transaction
  bool head_written_ = false;      // HEAD is due while the byte counter is 0
  std::uint32_t generation_ = 0;
  FastCommitCounters counters_;
  FastCommitRecord current_;
  RangeRecords records_;               // of the inode being logged, or of all snapshots
  std::uint64_t snapshot_ranges_ = 0;  // of the attempt under way
};

}  // namespace fcsim::model::fast_commit
