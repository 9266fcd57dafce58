// What a file system needs of a journal, and who may observe it.
//
// A file system begins a handle, logs items (metadata blocks, inodes) within it and ends it; it
// asks the journal to force what is open onto the disk. The journal numbers what it commits
// together by sequences (JBD2: transaction ids; XFS: CIL sequences), says which one is open, which
// ones are being written and which one is durable, and tells observers what each commit held.
// Nothing here waits: a caller that must wait is told for which sequence.
//
// Implementations: model/jbd2/ (JBD2, and the journal of a file system without one), a recording
// one for tests and sweeps (recording_journal.h), and any other that keeps these rules.
#pragma once

#include <cstdint>
#include <optional>

#include "model/common/commit.h"
#include "model/common/configuration.h"
#include "model/common/geometry.h"
#include "model/common/operation.h"

namespace fcsim::model {

// What a logged item is. `owner` of an item says which one: a file, a group, or a block's number
// within its table.
enum class ItemKind : std::uint8_t {
  unnamed,
  superblock,
  block_bitmap,       // owner: group
  inode_bitmap,       // owner: group
  group_descriptors,  // owner: block of the table
  inode_table,        // owner: group
  directory_block,    // owner: file
  extent_block,       // owner: file
  indirect_block,     // owner: file
  xattr_block,
  orphan_file,
  symlink_target,  // owner: file
  data,            // owner: file; data=journal
};

// One thing that a journal logs as a whole. Lives where its owner lives; a journal keeps no pointer
// to it beyond the call.
struct LogItem {
  Sequence logged_in = 0;  // the newest sequence that it was logged in; 0: none since the mount
  std::uint32_t owner = 0;
  ItemKind kind = ItemKind::unnamed;
};

// A write to the log that the device works on. `id` is unique among the writes under way.
struct LogWrite {
  std::uint64_t id = 0;
  Sequence sequence = 0;     // what is durable at its end; 0: nothing that others wait for
  std::uint64_t blocks = 0;  // written, with descriptors and commit record
  bool by_caller = false;    // the call that asked for it writes it itself (a fast commit)
};

// Who is told what a journal does. All are called in the order of virtual time.
class JournalObserver {
 public:
  virtual ~JournalObserver() = default;
  // Whether on_logged() is to be called. Asked once, when the observer is added.
  [[nodiscard]] virtual bool observes_items() const { return false; }
  // The item was logged in the sequence, for the first time in it.
  virtual void on_logged(const LogItem&, Sequence) {}
  // No more handle joins the sequence: its commit begins, or waits for a fast commit to end.
  virtual void on_closed() {}
  // The sequence is durable. Whoever knows more of it than the journal does adds to the record.
  virtual void on_commit(FullCommitRecord&) {}
  // A call of ext4_fc_commit ended.
  virtual void on_fast_commit(const FastCommitRecord&) {}
};

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  // ---- handles ----
  // A handle that may log `credits` items begins; within another one it joins that. May open a
  // sequence, or close the running one first where the request does not fit.
  virtual void begin(Time now, std::uint32_t credits, const Origin& origin) = 0;
  // Within a handle: the item is part of the running sequence from now on.
  virtual void log(LogItem& item) = 0;
  // Within a handle: the item is freed and leaves the running sequence.
  virtual void forget(LogItem& item) = 0;
  // The handle ends. A synchronous one forces its sequence; its caller then waits for that.
  virtual void end(Time now, const Origin& origin, bool synchronous) = 0;
  // Credits set aside for a handle that begins when I/O ends, and their return.
  virtual void reserve(std::uint32_t) {}
  virtual void release(std::uint32_t) {}
  // So much is reserved that more must wait for earlier reservations to be used.
  [[nodiscard]] virtual bool reservations_full(std::uint32_t) const { return false; }

  // ---- sequences: 0 means none ----
  [[nodiscard]] Sequence running() const { return running_sequence_; }
  [[nodiscard]] Sequence committing() const { return committing_sequence_; }
  [[nodiscard]] Sequence durable() const { return durable_sequence_; }
  // The running one, or the one being committed, or the last that is durable.
  [[nodiscard]] Sequence newest() const {
    return running_sequence_ != 0      ? running_sequence_
           : committing_sequence_ != 0 ? committing_sequence_
                                       : durable_sequence_;
  }
  // Whether a sequence became durable since the mount.
  [[nodiscard]] bool committed_any() const { return committed_any_; }
  void assume_committed_before() { committed_any_ = true; }

  // ---- commits ----
  // Asks for the commit of the running sequence. It begins at once unless another one is going on
  // or commits are held, and then follows. A second request changes neither cause nor origin.
  virtual void force(Time now, Cause cause, const Origin& origin) = 0;
  // The same, and the caller goes on only when it is done, in no time.
  virtual void force_now(Time now, Cause cause, const Origin& origin) = 0;
  // While `held`, no commit begins that was not begun before: the fast-commit log is being written.
  // Where one waited, letting go begins it.
  virtual void hold(Time, bool) {}
  // The same while the daemon that commits has not woken: nobody else need wait for it.
  virtual void let_daemon_sleep(Time, bool) {}
  // A commit was asked for and has not begun.
  [[nodiscard]] virtual bool commit_pending() const { return false; }
  // Everything durable was written home: its room in the log is free again.
  virtual void checkpoint_all() {}

  // ---- time ----
  // The write under way, and its end: the engine, which knows device and trace, says when.
  [[nodiscard]] virtual std::optional<LogWrite> writing() const = 0;
  virtual void end_write(Time now) = 0;
  // When the journal acts by itself next (kjournald's timer), and that moment.
  [[nodiscard]] virtual std::optional<Time> next_event() const { return std::nullopt; }
  virtual void happen(Time) {}

  // ---- mounts ----
  // Mounted again after an unmount, when nothing runs or commits. Sequences go on, totals begin
  // anew.
  virtual void mount_again(const MountSettings& mount) = 0;
  // For sequences that open from now on.
  virtual void remount(const MountSettings& mount) = 0;

  // Sums over all commits since the mount.
  [[nodiscard]] virtual JournalTotals totals() const = 0;

  // ---- other settings ----
  // Whether a journal of `geometry` mounted by `mount` would have done the same up to `now`. Of
  // the settings, only sizes of log and fast-commit area and the commit interval may differ. False
  // where that is not known.
  [[nodiscard]] virtual bool holds_for(const Geometry& geometry, const MountSettings& mount,
                                       Time now) const {
    (void)geometry, (void)mount, (void)now;
    return false;
  }

  // ---- observers ----
  // Called in the order in which they were added; they outlive the journal.
  virtual void add_observer(JournalObserver& observer) = 0;

 protected:
  // Kept by the implementation, asked for at every change of an inode.
  Sequence running_sequence_ = 0;
  Sequence committing_sequence_ = 0;
  Sequence durable_sequence_ = 0;
  bool committed_any_ = false;
};

}  // namespace fcsim::model
