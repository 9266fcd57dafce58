// A lane's file system: plays back what the leader's did, into a journal and a fast-commit log of
// the lane's own.
//
// The lane's engine is the ordinary one. As long as it asks for the same calls in the same order,
// its answers are those of a file system of its own: what a call does to files does not depend on
// the journal, and what it does to the journal is played. The first call that is not the leader's
// next one ends the lane (LaneDiverged): it must be replayed alone.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/filesystem.h"
#include "sim/replay/lanes/call_log.h"
#include "sim/replay/lanes/lane_statistics.h"
#include "sim/replay/lanes/tracked_inodes.h"
#include "sim/replay/lanes/walk_memory.h"

namespace fcsim::sim {

struct LaneDiverged {
  Divergence why;
};

class LaneFileSystem final : private model::InodeSource {
 public:
  static constexpr bool kKeepsToTrace = false;
  using FileId = model::FileId;
  using Origin = model::Origin;
  using Tid = model::Tid;
  using Time = model::Time;

  LaneFileSystem(const model::Configuration& configuration, const model::InitialState& initial,
                 const model::FileSystem& leader, const CallLog& log, WalkMemory& walks);

  // ---- what an engine asks for (model/filesystem.h) ----
  void apply(const model::Operation& operation, Time now);
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin&);
  void end_io(FileId file, Time now) { next(LoggedCall::Kind::end_io, file, now, 0, 0); }
  void complete_io(FileId file, Time now) { next(LoggedCall::Kind::complete_io, file, now, 0, 0); }
  void write_deferred_times(FileId file, Time now, const Origin&) {
    next(LoggedCall::Kind::deferred_times, file, now, 0, 0);
  }
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin&) {
    next(LoggedCall::Kind::store, file, now, static_cast<std::uint64_t>(offset),
         static_cast<std::uint64_t>(length));
  }
  [[nodiscard]] std::vector<FileId> dirty_files(Time before);
  void mark_clean(FileId file) { next(LoggedCall::Kind::mark_clean, file, 0, 0, 0); }
  void pages_written(FileId file) { next(LoggedCall::Kind::pages_written, file, 0, 0, 0); }
  void touch_journal(Time now, const Origin&) {
    next(LoggedCall::Kind::touch_journal, model::kNoFile, now, 0, 0);
  }
  [[nodiscard]] std::vector<FileId>& started_io() { return started_io_; }
  [[nodiscard]] std::optional<Tid> take_wait() { return std::exchange(wait_, std::nullopt); }
  [[nodiscard]] bool any_dirty() const { return any_dirty_; }
  [[nodiscard]] Tid sync_tid(FileId file, bool datasync);
  [[nodiscard]] bool known(FileId file) const {
    need_no_apply();
    return leader_.known(file);
  }
  [[nodiscard]] const model::Inode& inode(FileId file) const {
    need_no_apply();
    return leader_.inode(file);
  }
  [[nodiscard]] bool has_pending(FileId file) const;
  [[nodiscard]] bool io_in_flight(FileId file) const {
    need_end();
    return leader_.io_in_flight(file);
  }
  [[nodiscard]] bool file_journals_data(FileId file) const {
    need_no_apply();
    return leader_.file_journals_data(file);
  }
  [[nodiscard]] bool journals_data() const { return leader_.journals_data(); }
  [[nodiscard]] bool writes_synchronously(FileId) const { return synchronous_; }
  [[nodiscard]] const model::ModelNotes& notes() const { return leader_.notes(); }
  [[nodiscard]] model::Journal& journal() { return journal_; }
  [[nodiscard]] const model::Journal& journal() const { return journal_; }
  [[nodiscard]] model::FastCommit& fast_commit() { return fast_commit_; }
  [[nodiscard]] const model::Geometry& geometry() const { return geometry_; }
  [[nodiscard]] const model::Clock& clock() const { return clock_; }
  [[nodiscard]] bool ready() const { return !at_end(); }
  static void operation_begins(Time) {}
  static void fast_commit_ends(Time) {}
  static void flusher_runs(Time) {}
  std::vector<model::FullCommitRecord> forced_commits;

  // ---- where the lane stands ----
  [[nodiscard]] bool at_end() const { return call_ == log_.calls.size(); }
  void stand_at(std::size_t call, std::size_t event, bool any_dirty) {
    call_ = call;
    event_ = event;
    any_dirty_ = any_dirty;
  }
  [[nodiscard]] TrackedInodes& tracked_inodes() { return inodes_; }
  // The stamp at which the running transaction began.
  [[nodiscard]] Tid running_since() const { return begins_.back(); }
  // The stamp at which the oldest transaction began that is not on disk; kNoStamp: all are.
  [[nodiscard]] Tid open_since() const;
  // A handle's start had to commit on the way.
  [[nodiscard]] bool forced_any() const { return forced_any_; }
  [[nodiscard]] bool committed_any() const { return journal_.committed_any(); }
  // A block that bore this stamp is dirtied in the running transaction.
  void dirty_block(Tid before) {
    model::MetadataBlock block{tid_of(before)};
    journal_.dirty(block);
  }

 private:
  // InodeSource
  [[nodiscard]] model::TrackedInode& tracked(FileId file) override { return inodes_.get(file); }
  [[nodiscard]] std::uint32_t raw_inode_bytes(FileId file) const override;
  model::RangeWalk walk_ranges(FileId file, model::RangeRecords& records) const override;

  const LoggedCall& next(LoggedCall::Kind kind, FileId file, Time now, std::uint64_t a,
                         std::uint64_t b);
  void play(const model::JournalEvent& event, Time now);
  void begin_handle(std::uint32_t credits, Tid stamp, Time now);
  void end_handle(bool synchronous, Time now);
  void check_freed(Tid reclaimed, Tid waiting) const;
  void note_forced_commits();
  void note_dirty(Tid before);
  [[nodiscard]] Tid tid_of(Tid stamp) const;
  void need_end() const {
    if (!at_end()) throw LaneDiverged{Divergence::looked_back};
  }
  void need_no_apply() const {
    if (call_ < log_.applied) throw LaneDiverged{Divergence::looked_back};
  }

  const model::FileSystem& leader_;
  const CallLog& log_;
  WalkMemory& walks_;
  const model::Configuration& configuration_;
  const model::Geometry geometry_;
  const model::Clock clock_;
  model::Journal journal_;
  model::FastCommit fast_commit_;
  mutable TrackedInodes inodes_;

  std::size_t call_ = 0;  // the next one of the log
  std::size_t event_ = 0;
  std::vector<FileId> started_io_;
  std::optional<Tid> wait_;
  bool any_dirty_ = false;
  bool synchronous_ = false;
  bool forced_any_ = false;
  // Stamps at which the transactions first_tid_, first_tid_ + 1, ... began.
  std::vector<Tid> begins_;
  Tid first_tid_ = 2;
  Tid newest_tid_ = 1;
};

}  // namespace fcsim::sim
