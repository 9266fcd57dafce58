// Calls that wait: fsync and its kin, step by step (fs/ext4/fsync.c, fs/sync.c).
#include <cassert>

#include "sim/engine/core.h"

namespace fcsim::engine {

using model::Cause;
using model::FileId;
using model::Operation;
using model::OperationKind;
using model::Tid;
using model::fast_commit::Attempt;

namespace {

constexpr std::uint64_t kAllBlocks = std::uint64_t{model::ext4::ExtentTree::kMaxBlock} + 1;
constexpr std::uint64_t kWaitBefore = 1, kWrite = 2, kWaitAfter = 4;  // SYNC_FILE_RANGE_*

}  // namespace

model::Origin EngineCore::origin_of(const Task& task) const {
  const Operation& op = task.operation;
  return {op.line, op.source, op.pid, op.kind, op.file};
}

void EngineCore::count_call(const Operation& op) {
  SyncCalls& calls = result_.sync_calls;
  switch (op.kind) {
    case OperationKind::fsync:
      ++calls.fsync;
      break;
    case OperationKind::fdatasync:
      ++calls.fdatasync;
      break;
    case OperationKind::msync:
      ++calls.msync;
      break;
    case OperationKind::syncfs:
      ++calls.syncfs;
      break;
    case OperationKind::sync:
      ++calls.sync;
      break;
    case OperationKind::sync_file_range:
      ++calls.sync_file_range;
      break;
    case OperationKind::write:
      if ((op.flags & model::operation_flag::sync) != 0)
        ++calls.sync_write;
      else if ((op.flags & model::operation_flag::dsync) != 0)
        ++calls.dsync_write;
      break;
    default:
      break;
  }
}

// The file's own pages first, then its transaction.
void EngineCore::begin_sync(Task& task, bool datasync, std::uint64_t first, std::uint64_t end) {
  const FileId file = task.operation.file;
  if (!fs_->known(file)) return;
  task.datasync = datasync;
  const model::Origin origin = origin_of(task);
  if (!datasync) fs_->write_deferred_times(file, now_, origin);
  task.journalled_pages = fs_->journals_data() && fs_->inode(file).dirty_pages;
  const bool io = fs_->start_writeback(file, first, end, now_, origin);
  settle();
  task.step = Task::Step::data;
  waiting_.push_back(&task);
  if (io)
    schedule_io(file, timing_.data_end(now_, task.operation.end, fs_->bytes_in_flight(file)));
  else
    after_data(task);
}

// fallocate through an O_SYNC or O_DSYNC descriptor commits, without writing data
// (fs/ext4/extents.c:ext4_fallocate); its other modes do not.
void EngineCore::begin_sync_fallocate(Task& task, const Operation& op) {
  constexpr std::uint64_t keep_size = 1;
  constexpr std::uint32_t synchronous = model::operation_flag::sync | model::operation_flag::dsync;
  if ((op.value & ~keep_size) != 0 || (op.flags & synchronous) == 0 || !fs_->known(op.file)) return;
  task.datasync = false;
  task.step = Task::Step::data;
  waiting_.push_back(&task);
  after_data(task);
}

// O_SYNC and O_DSYNC: the write is followed by a sync of its range (generic_write_sync).
void EngineCore::begin_sync_write(Task& task, const Operation& op) {
  const bool whole = (op.flags & model::operation_flag::sync) != 0;
  const bool data_only =
      (op.flags & model::operation_flag::dsync) != 0 || fs_->writes_synchronously(op.file);
  if ((!whole && !data_only) || !fs_->known(op.file)) return;
  if (!whole && (op.flags & model::operation_flag::dsync) == 0) ++result_.sync_calls.dsync_write;
  const std::uint32_t bits = fs_->geometry().block_bits;
  begin_sync(task, !whole, static_cast<std::uint64_t>(op.offset) >> bits,
             (static_cast<std::uint64_t>(op.offset + op.length - 1) >> bits) + 1);
}

void EngineCore::begin_msync(Task& task) {
  const Operation& op = task.operation;
  if (!fs_->known(op.file)) return;
  if ((op.flags & model::operation_flag::mapped_for_write) != 0) {
    fs_->store_through_mapping(op.file, op.offset, op.length, now_, origin_of(task));
    settle();
  }
  const std::uint32_t bits = fs_->geometry().block_bits;
  begin_sync(
      task, true, static_cast<std::uint64_t>(op.offset) >> bits,
      (static_cast<std::uint64_t>(op.offset + std::max<std::int64_t>(op.length, 1) - 1) >> bits) +
          1);
}

void EngineCore::begin_sync_file_range(Task& task) {
  const Operation& op = task.operation;
  if (!fs_->known(op.file)) return;
  const std::uint32_t bits = fs_->geometry().block_bits;
  const std::uint64_t first = static_cast<std::uint64_t>(op.offset) >> bits;
  const std::uint64_t end =
      op.length == 0 ? kAllBlocks
                     : (static_cast<std::uint64_t>(op.offset + op.length - 1) >> bits) + 1;
  const bool waits = (op.value & (kWaitBefore | kWaitAfter)) != 0;
  if ((op.value & kWrite) != 0) {
    const bool io = fs_->start_writeback(op.file, first, end, now_, origin_of(task));
    settle();
    if (io)
      schedule_io(op.file, waits ? timing_.wait_end(now_, op.end, fs_->bytes_in_flight(op.file))
                                 : now_ + timing_.unawaited_ns());
  }
  if (!waits || !fs_->io_in_flight(op.file)) return;
  task.step = Task::Step::data;
  waiting_.push_back(&task);
}

// sync waits for everybody's data before it commits; syncfs starts writeback, commits, waits for
// the data, and commits again what the ends of I/O have opened (fs/sync.c).
void EngineCore::begin_sync_all(Task& task) {
  const model::Origin origin = origin_of(task);
  task.journalled_pages = false;
  for (const FileId file : fs_->dirty_files(now_)) {
    task.journalled_pages |= fs_->journals_data() && fs_->inode(file).dirty_pages;
    fs_->write_deferred_times(file, now_, origin);
    if (fs_->start_writeback(file, 0, kAllBlocks, now_, origin))
      schedule_io(file, timing_.data_end(now_, task.operation.end, fs_->bytes_in_flight(file)));
    fs_->mark_clean(file);
  }
  settle();
  task.step = Task::Step::all_data;
  waiting_.push_back(&task);
  if (io_ends_.empty()) after_data(task);
}

// Reclaim wakes the flusher for what is dirty (mm/vmscan.c). ext4 has nothing to write for an inode
// that is only dirty in its times, so it is clean, and can leave memory, once the flusher had its
// turn; a call that is over sooner spares it. Measured in 27 calls of four recordings on 6.18: 3.5
// ms tells 26 of them right.
void EngineCore::begin_reclaim(const Operation& op) {
  constexpr model::Time flusher_turn = 3'500'000;
  const bool flushed = op.end == op.start || op.end - op.start >= flusher_turn;
  for (const FileId file : flushed ? fs_->dirty_files(now_) : std::vector<FileId>{}) {
    if (fs_->start_writeback(file, 0, kAllBlocks, now_,
                             {op.line, op.source, op.pid, op.kind, file}))
      fs_->complete_io(file, now_);
    fs_->mark_clean(file);
  }
  fs_->apply(op, now_);
  settle();
}

void EngineCore::after_data(Task& task) {
  switch (task.operation.kind) {
    case OperationKind::sync_file_range:
      wake(task);
      return;
    case OperationKind::syncfs:
    case OperationKind::sync:
    case OperationKind::freeze:
    case OperationKind::remount:
    case OperationKind::unmount:
      commit_everything(task);
      return;
    default:
      break;
  }
  const FileId file = task.operation.file;
  if (!fs_->known(file) || !fs_->geometry().has_journal) {
    wake(task);
    return;
  }
  const model::ext4::Inode& inode = fs_->inode(file);
  const model::FastCommitRules& rules = configuration_.kernel.fast_commit;
  if (fs_->file_journals_data(file) &&
      rules.data_journal_fsync == model::DataJournalFsync::force_commit) {
    force_commit(task, Cause::ineligible);
    return;
  }
  const bool forced =
      !inode.regular() && rules.directory_fsync == model::DirectoryFsync::force_commit;
  if (forced) {
    ++result_.directory_fsyncs;
    force_commit(task, Cause::directory_fsync);
    return;
  }
  if (!fs_->fast_commit().active()) {
    task.tid = fs_->sync_tid(file, task.datasync);
    complete_transaction(task, Cause::fast_commit_off);
    return;
  }
  ask_fast_commit(task);
}

// ext4_fc_commit; a sleeper whose sleep saw a fast commit end is done (SKIPPED).
void EngineCore::ask_fast_commit(Task& task) {
  model::fast_commit::FastCommit& log = fs_->fast_commit();
  task.tid = fs_->sync_tid(task.operation.file, task.datasync);
  task.at_once = !task.asked && task.generation == log.generation() &&
                 task.committed == fs_->journal().committed_tid();
  if (task.generation != log.generation()) {
    // A sleeper returns when it is woken. Whether this call slept through the fast commit that has
    // ended since it began, the trace knows: if so, it returned too soon for one of its own.
    const bool slept = timing_.recorded(task.operation)
                           ? !timing_.leaves_time_to_commit(now_, task.operation.end)
                           : task.asked;
    if (slept) {
      log.count_skipped();
      note_attempt(task, model::Outcome::skipped);
      wake(task);
      return;
    }
    task.generation = log.generation();
  }
  if (!task.asked) task.asked_at = now_;
  task.asked = true;
  const Attempt attempt = log.attempt(task.tid);
  switch (attempt) {
    case Attempt::skipped:
      note_attempt(task, model::Outcome::skipped);
      wake(task);
      return;
    case Attempt::must_wait:
      if (returned_before_commit(task))
        take_over_commit(task);
      else
        task.step = Task::Step::fast_commit;
      return;
    case Attempt::first:
    case Attempt::failed:
      note_attempt(task, model::Outcome::failed);
      if (attempt == Attempt::first)
        complete_transaction(task, Cause::first_commit);
      else
        force_commit(task, Cause::area_full);
      return;
    case Attempt::ineligible:
    case Attempt::refused:
      note_attempt(task, model::Outcome::ineligible);
      force_commit(task,
                   attempt == Attempt::ineligible ? Cause::ineligible : Cause::snapshot_refused);
      return;
    case Attempt::started:
      task.step = Task::Step::own_commit;
      fast_committer_ = &task;
      fs_->journal().hold_commits(true);
      fast_commit_end_ =
          wait_end(task.operation.end, timing_.recorded(task.operation), log.current().blocks);
      return;
  }
}

// The call returned before the one whose fast commit is taken to be going on. Nobody sleeps through
// a commit that ends behind his return: unless it had slept through the one before and was late to
// wake, it made this one, and the other call was still about its data.
bool EngineCore::returned_before_commit(const Task& task) {
  return !closed() && fast_committer_ != nullptr && timing_.recorded(task.operation) &&
         task.operation.end < fast_committer_->operation.end &&
         (task.at_once || timing_.leaves_time_to_commit(now_, task.operation.end));
}

void EngineCore::take_over_commit(Task& task) {
  fast_committer_->step = Task::Step::fast_commit;
  fast_committer_->at_once = false;
  fast_committer_ = &task;
  task.step = Task::Step::own_commit;
  fast_commit_end_ =
      timing_.commit_end(now_, task.operation.end, fs_->fast_commit().current().blocks);
}

void EngineCore::note_attempt(const Task& task, model::Outcome outcome) {
  if (!options_.keep_commits) return;
  model::FastCommitRecord record;
  record.start = task.asked ? task.asked_at : now_;
  record.end = now_;
  record.tid = task.tid;
  record.outcome = outcome;
  record.origin = origin_of(task);
  result_.fast_commits.push_back(record);
}

// jbd2_complete_transaction: the transaction is committed if it is still open.
void EngineCore::complete_transaction(Task& task, Cause cause) {
  const model::jbd2::Transaction* running = fs_->journal().running();
  if (running != nullptr && running->tid == task.tid) {
    force_commit(task, cause);
    return;
  }
  if (task.tid > fs_->journal().committed_tid())
    wait_for(task, task.tid);
  else
    wake(task);
}

// Commits whatever runs, or waits for what is committing.
void EngineCore::force_commit(Task& task, Cause cause) {
  model::jbd2::Journal& journal = fs_->journal();
  if (journal.running() != nullptr) {
    const Tid tid = journal.running()->tid;
    journal.request_commit(now_, cause, origin_of(task));
    wait_for(task, tid);
    settle();
  } else if (journal.committing() != nullptr) {
    wait_for(task, journal.committing()->tid);
  } else {
    wake(task);
  }
}

void EngineCore::wait_for(Task& task, Tid tid) {
  task.step = Task::Step::full_commit;
  task.tid = tid;
  if (std::find(waiting_.begin(), waiting_.end(), &task) == waiting_.end())
    waiting_.push_back(&task);
}

// After a full commit a task waited for: sync and syncfs go on until nothing runs.
void EngineCore::commit_everything(Task& task) {
  const OperationKind kind = task.operation.kind;
  const bool everything = kind == OperationKind::syncfs || kind == OperationKind::sync ||
                          kind == OperationKind::freeze || kind == OperationKind::remount ||
                          kind == OperationKind::unmount;
  if (!everything) {
    if (task.asked && fs_->file_journals_data(task.operation.file)) {
      fs_->fast_commit().count_skipped();  // writeback asked first, the fsync asks again
      note_attempt(task, model::Outcome::skipped);
    }
    if (task.journalled_pages && fs_->known(task.operation.file)) {
      fs_->touch_journal(now_, origin_of(task));
      fs_->pages_written(task.operation.file);
    }
    task.journalled_pages = false;
    wake(task);
    return;
  }
  // Journalled data is written home between the two passes of syncfs, with a handle that dirties
  // nothing (fs/ext4/inode.c:ext4_writepages on a data-journalled inode).
  if (task.sync_passes == 1 && kind == OperationKind::syncfs && task.journalled_pages &&
      fs_->journal().running() == nullptr) {
    task.sync_passes = 2;
    fs_->touch_journal(now_, origin_of(task));
    force_commit(task, Cause::sync);
    return;
  }
  if (task.sync_passes++ == 0 && fs_->journal().running() != nullptr) {
    force_commit(task, kind == OperationKind::sync || kind == OperationKind::syncfs
                           ? Cause::sync
                           : Cause::administration);
    return;
  }
  if (fs_->journal().committing() != nullptr && fs_->journal().running() == nullptr &&
      task.sync_passes == 1) {
    wait_for(task, fs_->journal().committing()->tid);
    return;
  }
  fs_->journal().checkpoint_all();
  wake(task);
}

}  // namespace fcsim::engine
