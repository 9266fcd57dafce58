// The leader's file system: does all and writes it down.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/engine/file_system.h"
#include "sim/replay/lanes/call_log.h"

namespace fcsim::replay::lanes {

// Whoever goes along with the leader. All are called before the thing happens.
class LeaderWatcher {
 public:
  virtual ~LeaderWatcher() = default;
  virtual void before_call(model::Time now) = 0;
  virtual void before_operation(model::Time now) = 0;
  // A sync call asks for a fast commit of a file whose transaction bears `stamp`.
  virtual void before_attempt(model::Tid stamp) = 0;
  virtual void before_fast_commit_ends(model::Time now) = 0;
  virtual void before_flusher(model::Time now) = 0;
};

class RecordedFileSystem final : public engine::OwnFileSystem {
 public:
  RecordedFileSystem(const model::Configuration& configuration, const model::InitialState& initial,
                     CallLog& log, LeaderWatcher& watcher, model::jbd2::FreedBlocksVote& vote)
      : engine::OwnFileSystem(configuration, initial), calls_(log), watcher_(watcher) {
    log.journal.set_vote(&vote);
    fs_.record_into(log.journal);
  }

  [[nodiscard]] const model::ext4::FileSystem& model() const { return fs_; }

  void apply(const model::Operation& operation, Time now) override {
    watcher_.before_call(now);
    fs_.apply(operation, now);
    LoggedCall& call = note(LoggedCall::Kind::apply, operation.file, now, operation.line,
                            static_cast<std::uint64_t>(operation.kind));
    call.synchronous = fs_.writes_synchronously(operation.file);
    if (!started_io().empty()) list(call, started_io());
    calls_.applied = calls_.calls.size();
  }
  void assume_read(FileId file, Time now) override {
    watcher_.before_call(now);
    fs_.assume_read(file, now);
    note(LoggedCall::Kind::assume_read, file, now);
  }
  bool start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                       const Origin& origin) override {
    watcher_.before_call(now);
    const bool pending = has_pending(file);
    const bool io = fs_.start_writeback(file, first, end, now, origin);
    LoggedCall& call = note(LoggedCall::Kind::start_writeback, file, now, first, end);
    call.result = io;
    call.pending = pending;
    if (io) call.bytes = fs_.bytes_in_flight(file);
    return io;
  }
  void end_io(FileId file, Time now) override {
    watcher_.before_call(now);
    engine::OwnFileSystem::end_io(file, now);
    note(LoggedCall::Kind::end_io, file, now);
  }
  void complete_io(FileId file, Time now) override {
    watcher_.before_call(now);
    fs_.complete_io(file, now);
    note(LoggedCall::Kind::complete_io, file, now);
  }
  void write_deferred_times(FileId file, Time now, const Origin& origin) override {
    watcher_.before_call(now);
    fs_.write_deferred_times(file, now, origin);
    note(LoggedCall::Kind::deferred_times, file, now);
  }
  void store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                             const Origin& origin) override {
    watcher_.before_call(now);
    fs_.store_through_mapping(file, offset, length, now, origin);
    note(LoggedCall::Kind::store, file, now, static_cast<std::uint64_t>(offset),
         static_cast<std::uint64_t>(length));
  }
  [[nodiscard]] std::vector<FileId> dirty_files(Time before) override {
    std::vector<FileId> files = fs_.dirty_files(before);
    if (!files.empty()) {
      watcher_.before_call(before);
      list(note(LoggedCall::Kind::dirty_files, model::kNoFile, 0,
                static_cast<std::uint64_t>(before)),
           files);
    }
    return files;
  }
  void mark_clean(FileId file) override {
    fs_.mark_clean(file);
    note(LoggedCall::Kind::mark_clean, file, 0);
  }
  void pages_written(FileId file) override {
    fs_.pages_written(file);
    note(LoggedCall::Kind::pages_written, file, 0);
  }
  void touch_journal(Time now, const Origin& origin) override {
    watcher_.before_call(now);
    fs_.touch_journal(now, origin);
    note(LoggedCall::Kind::touch_journal, model::kNoFile, now);
  }
  [[nodiscard]] Tid sync_tid(FileId file, bool datasync) override {
    const model::ext4::Inode& of = fs_.inode(file);
    const Tid stamp =
        datasync ? of.datasync_tid : std::max(of.tracked.sync_tid, of.tracked.recorded_tid);
    if (fast_commit().active()) watcher_.before_attempt(stamp);
    return stamp;
  }
  // What mounts are made of is not written down.
  [[nodiscard]] model::ext4::FileSystem* whole() override { return nullptr; }

  [[nodiscard]] bool keeps_to_trace() const override { return true; }
  void before_operation(Time now) override { watcher_.before_operation(now); }
  void before_fast_commit_ends(Time now) override { watcher_.before_fast_commit_ends(now); }
  void before_flusher(Time now) override { watcher_.before_flusher(now); }

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

}  // namespace fcsim::replay::lanes
