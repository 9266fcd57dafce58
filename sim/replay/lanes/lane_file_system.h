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

#include "sim/engine/file_system.h"
#include "sim/replay/lanes/call_log.h"
#include "sim/replay/lanes/lane_statistics.h"
#include "sim/replay/lanes/tracked_inodes.h"
#include "sim/replay/lanes/walk_memory.h"

namespace fcsim::replay::lanes {

struct LaneDiverged {
  Divergence why;
};

class LaneFileSystem final : public engine::EngineFileSystem,
                             private model::fast_commit::InodeSource {
 public:
  LaneFileSystem(const model::Configuration& configuration, const model::InitialState& initial,
                 const model::ext4::FileSystem& leader, const CallLog& log, WalkMemory& walks);

  void apply(const model::Operation& operation, Time now) override;
  void assume_read(FileId file, Time now) override {
    next(LoggedCall::Kind::assume_read, file, now, 0, 0);
  }
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin&) override;
  void complete_io(FileId file, Time now) override {
    next(LoggedCall::Kind::complete_io, file, now, 0, 0);
  }
  void end_io(FileId file, Time now) override { next(LoggedCall::Kind::end_io, file, now, 0, 0); }
  void write_deferred_times(FileId file, Time now, const Origin&) override {
    next(LoggedCall::Kind::deferred_times, file, now, 0, 0);
  }
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin&) override {
    next(LoggedCall::Kind::store, file, now, static_cast<std::uint64_t>(offset),
         static_cast<std::uint64_t>(length));
  }
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) override;
  void mark_clean(FileId file) override { next(LoggedCall::Kind::mark_clean, file, 0, 0, 0); }
  void pages_written(FileId file) override { next(LoggedCall::Kind::pages_written, file, 0, 0, 0); }
  void touch_journal(Time now, const Origin&) override {
    next(LoggedCall::Kind::touch_journal, model::kNoFile, now, 0, 0);
  }
  [[nodiscard]] std::optional<Tid> take_wait() override {
    return std::exchange(wait_, std::nullopt);
  }

  [[nodiscard]] Tid sync_tid(FileId file, bool datasync) override;
  [[nodiscard]] bool known(FileId file) const override {
    need_no_apply();
    return leader_.known(file);
  }
  [[nodiscard]] const model::ext4::Inode& inode(FileId file) const override {
    need_no_apply();
    return leader_.inode(file);
  }
  [[nodiscard]] bool has_pending(FileId file) const override;
  [[nodiscard]] bool io_in_flight(FileId file) const override {
    need_end();
    return leader_.io_in_flight(file);
  }
  [[nodiscard]] std::uint64_t bytes_in_flight(FileId file) const override;
  [[nodiscard]] bool any_dirty() const override { return any_dirty_; }
  // Only where allocation is not delayed can data of a regular file go through the journal.
  [[nodiscard]] bool file_journals_data(FileId file) const override {
    return !configuration_.mount.delalloc && known(file) && leader_.file_journals_data(file);
  }
  [[nodiscard]] bool journals_data() const override { return leader_.journals_data(); }
  [[nodiscard]] bool writes_synchronously(FileId) const override { return synchronous_; }
  [[nodiscard]] const model::ext4::ModelNotes& notes() const override { return leader_.notes(); }

  [[nodiscard]] bool ready() const override { return !at_end(); }

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
    model::jbd2::MetadataBlock block{tid_of(before)};
    journal_.dirty(block);
  }

 private:
  // InodeSource
  [[nodiscard]] model::fast_commit::TrackedInode& tracked(FileId file) override {
    return inodes_.get(file);
  }
  [[nodiscard]] std::uint32_t raw_inode_bytes(FileId file) const override;
  model::fast_commit::RangeWalk walk_ranges(
      FileId file, model::fast_commit::RangeRecords& records) const override;

  const LoggedCall& next(LoggedCall::Kind kind, FileId file, Time now, std::uint64_t a,
                         std::uint64_t b);
  void play(const model::jbd2::JournalEvent& event, Time now);
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

  const model::ext4::FileSystem& leader_;
  const CallLog& log_;
  WalkMemory& walks_;
  const model::Configuration& configuration_;
  const model::Geometry geometry_;
  const model::Clock clock_;
  model::jbd2::Journal journal_;
  model::fast_commit::FastCommit fast_commit_;
  mutable TrackedInodes inodes_;

  std::size_t call_ = 0;  // the next one of the log
  std::size_t event_ = 0;
  std::vector<FileId> started_io_;
  std::vector<model::FullCommitRecord> forced_commits_;
  FileId written_ = model::kNoFile;  // by the last start_writeback
  std::uint64_t bytes_written_ = 0;
  std::optional<Tid> wait_;
  bool any_dirty_ = false;
  bool synchronous_ = false;
  bool forced_any_ = false;
  // Stamps at which the transactions first_tid_, first_tid_ + 1, ... began.
  std::vector<Tid> begins_;
  Tid first_tid_ = 2;
  Tid newest_tid_ = 1;
};

}  // namespace fcsim::replay::lanes
