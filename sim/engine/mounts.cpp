// An administrator's steps: reading the counters, unmount, mount, remount.
#include <algorithm>

#include "sim/engine/engine.h"

namespace fcsim::engine {

using model::FileId;
using model::Operation;
using model::OperationKind;
using model::Time;

namespace {

constexpr std::int32_t kAdministrator = -1;  // no process of a trace has this number

}  // namespace

// When a moment of recorded time is, with every call before it ended.
Time Engine::settled_by(Time recorded) {
  if (!closed()) return recorded;
  run_closed(kEverything);
  return std::max(now_, recorded + newest_offset_);
}

Prediction Engine::read(Time at) {
  if (started_) advance(settled_by(at));
  Prediction prediction = result_;
  fill_in(prediction);
  return prediction;
}

void Engine::administer(OperationKind kind, Time at) {
  if (!started_) before_first(at);
  Operation call;
  call.kind = kind;
  call.pid = kAdministrator;
  call.start = call.end = std::max(settled_by(at), now_);
  if (kind == OperationKind::remount) call.flags = model::operation_flag::read_only;
  const SyncCalls of_the_trace = result_.sync_calls;
  advance(call.start);
  dispatch(task_of(kAdministrator), call);
  result_.sync_calls = of_the_trace;
  while (!task_of(kAdministrator).idle()) {
    const std::optional<Time> next = next_event();
    if (!next) return;
    advance(*next);
  }
}

// Lets I/O and commits that are under way end, and commits what still runs: umount's last act
// (fs/jbd2/journal.c:jbd2_journal_destroy).
void Engine::finish_everything() {
  while (true) {
    if (io_ends_.empty() && writes_.empty() && !fs_->commit_pending()) {
      if (!fs_->commit_rest(now_)) return;
      settle();
    }
    const std::optional<Time> next = next_event();
    if (!next) return;
    advance(*next);
  }
}

Prediction Engine::unmount(Time at) {
  do {  // calls that had to wait may write after the first pass
    administer(OperationKind::unmount, at);
    finish_everything();
  } while (fs_->any_dirty());
  for (const FileId file : fs_->unnamed_files()) {
    Operation evict;
    evict.kind = OperationKind::evict;
    evict.file = file;
    evict.start = evict.end = now_;
    fs_->apply(evict, now_);
    settle();
  }
  finish_everything();
  Prediction last = std::move(result_);
  fill_in(last);
  result_ = {};
  result_.latency.predicted = closed();
  tasks_.clear();
  last_task_ = nullptr;
  waiting_.clear();
  ready_.clear();
  newborn_.clear();
  idle_.clear();
  moments_.clear();
  flusher_.reset();
  return last;
}

void Engine::mount(const model::FilesystemSettings& on_disk, const model::MountSettings& options) {
  fs_->mount_again(on_disk, options);
  configuration_.filesystem = on_disk;
  configuration_.mount = options;
}

void Engine::remount(const model::MountSettings& options) {
  fs_->remount(options);
  configuration_.mount = options;
}

}  // namespace fcsim::engine
