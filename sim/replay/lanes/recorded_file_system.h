// The leader's file system: does all and writes it down.
#pragma once

#include <vector>

#include "model/filesystem.h"
#include "sim/replay/lanes/call_log.h"

namespace fcsim::sim {

// Whoever goes along with the leader. All are called before the thing happens.
class LeaderWatcher {
 public:
  virtual ~LeaderWatcher() = default;
  virtual void before_call(model::Time now) = 0;
  virtual void before_operation(model::Time now) = 0;
  // A sync call asks for a fast commit of `file`, whose transaction bears `stamp`.
  virtual void before_attempt(model::Tid stamp) = 0;
  virtual void before_fast_commit_ends(model::Time now) = 0;
  virtual void before_flusher(model::Time now) = 0;
};

class RecordedFileSystem final : public model::FileSystem {
 public:
  static constexpr bool kKeepsToTrace = true;
  using FileId = model::FileId;
  using Origin = model::Origin;
  using Time = model::Time;

  RecordedFileSystem(const model::Configuration& configuration, const model::InitialState& initial,
                     CallLog& log, LeaderWatcher& watcher, model::FreedBlocksVote& vote)
      : FileSystem(configuration, initial), calls_(log), watcher_(watcher) {
    log.journal.set_vote(&vote);
    record_into(log.journal);
  }

  void apply(const model::Operation& operation, Time now) {
    watcher_.before_call(now);
    FileSystem::apply(operation, now);
    LoggedCall& call = note(LoggedCall::Kind::apply, operation.file, now, operation.line,
                            static_cast<std::uint64_t>(operation.kind));
    call.synchronous = FileSystem::writes_synchronously(operation.file);
    if (!started_io().empty()) list(call, started_io());
    calls_.applied = calls_.calls.size();
  }
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin& origin) {
    watcher_.before_call(now);
    const bool pending = has_pending(file);
    const bool io = FileSystem::start_writeback(file, first, end, now, origin);
    LoggedCall& call = note(LoggedCall::Kind::start_writeback, file, now, first, end);
    call.result = io;
    call.pending = pending;
    return io;
  }
  void end_io(FileId file, Time now) {
    watcher_.before_call(now);
    if (known(file) && io_in_flight(file)) FileSystem::complete_io(file, now);
    note(LoggedCall::Kind::end_io, file, now);
  }
  void complete_io(FileId file, Time now) {
    watcher_.before_call(now);
    FileSystem::complete_io(file, now);
    note(LoggedCall::Kind::complete_io, file, now);
  }
  void write_deferred_times(FileId file, Time now, const Origin& origin) {
    watcher_.before_call(now);
    FileSystem::write_deferred_times(file, now, origin);
    note(LoggedCall::Kind::deferred_times, file, now);
  }
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin& origin) {
    watcher_.before_call(now);
    FileSystem::store_through_mapping(file, offset, length, now, origin);
    note(LoggedCall::Kind::store, file, now, static_cast<std::uint64_t>(offset),
         static_cast<std::uint64_t>(length));
  }
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) {
    std::vector<FileId> files = FileSystem::dirty_files(before);
    if (!files.empty()) {
      watcher_.before_call(before);
      list(note(LoggedCall::Kind::dirty_files, model::kNoFile, 0,
                static_cast<std::uint64_t>(before)),
           files);
    }
    return files;
  }
  void mark_clean(FileId file) {
    FileSystem::mark_clean(file);
    note(LoggedCall::Kind::mark_clean, file, 0);
  }
  void pages_written(FileId file) {
    FileSystem::pages_written(file);
    note(LoggedCall::Kind::pages_written, file, 0);
  }
  void touch_journal(Time now, const Origin& origin) {
    watcher_.before_call(now);
    FileSystem::touch_journal(now, origin);
    note(LoggedCall::Kind::touch_journal, model::kNoFile, now);
  }
  [[nodiscard]] model::Tid sync_tid(FileId file, bool datasync) {
    const model::Inode& of = inode(file);
    const model::Tid stamp =
        datasync ? of.datasync_tid : std::max(of.tracked.sync_tid, of.tracked.recorded_tid);
    if (fast_commit().active()) watcher_.before_attempt(stamp);
    return stamp;
  }

  [[nodiscard]] bool has_pending(FileId file) const {
    return known(file) && !inode(file).pending.empty();
  }
  [[nodiscard]] static constexpr bool ready() { return true; }
  void operation_begins(Time now) { watcher_.before_operation(now); }
  void fast_commit_ends(Time now) { watcher_.before_fast_commit_ends(now); }
  void flusher_runs(Time now) { watcher_.before_flusher(now); }

 private:
  LoggedCall& note(LoggedCall::Kind kind, FileId file, Time now, std::uint64_t a = 0,
                   std::uint64_t b = 0) {
    LoggedCall& call = calls_.calls.emplace_back();
    call.kind = kind;
    call.file = file;
    call.now = now;
    call.a = a;
    call.b = b;
    call.any_dirty = any_dirty();
    call.events_end = calls_.journal.events().size();
    return call;
  }
  void list(LoggedCall& call, const std::vector<FileId>& files) {
    call.files_begin = calls_.files.size();
    calls_.files.insert(calls_.files.end(), files.begin(), files.end());
    call.files_end = calls_.files.size();
  }

  CallLog& calls_;
  LeaderWatcher& watcher_;
};

}  // namespace fcsim::sim
