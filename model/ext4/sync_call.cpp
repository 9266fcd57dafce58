#include "model/ext4/sync_call.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model::ext4 {
namespace {

constexpr std::uint64_t kWaitBefore = 1, kWrite = 2, kWaitAfter = 4;  // SYNC_FILE_RANGE_*
constexpr std::uint32_t kSynchronous = operation_flag::sync | operation_flag::dsync;

}  // namespace

Origin SyncCall::origin() const {
  const Operation& op = *operation_;
  return {op.line, op.source, op.pid, op.kind, op.file};
}

Wait SyncCall::begin(const Operation& operation, Time now, CallTime& time) {
  const Wait wait = first_step(operation, now, time);
  if (wait.what == Wait::For::nothing) fs_.tell_sync_done(operation, now);
  return wait;
}

Wait SyncCall::next(Time now) {
  const Wait wait = next_step(now);
  if (wait.what == Wait::For::nothing) fs_.tell_sync_done(*operation_, now);
  return wait;
}

Wait SyncCall::first_step(const Operation& operation, Time now, CallTime& time) {
  operation_ = &operation;
  time_ = &time;
  asked_ = journalled_pages_ = false;
  passes_ = 0;
  generation_ = fs_.fast_commit().generation();
  durable_ = fs_.journal().durable();
  using enum OperationKind;
  switch (operation.kind) {
    case fsync:
    case fdatasync:
      if (!fs_.known(operation.file)) return {};
      datasync_ = operation.kind == fdatasync;
      return write_range(now, 0, ExtentTree::kEnd);
    case msync:
      if (!fs_.known(operation.file)) return {};
      datasync_ = true;
      step_ = Step::stored;
      if ((operation.flags & operation_flag::mapped_for_write) != 0)
        fs_.store_through_mapping(operation.file, operation.offset, operation.length, now,
                                  origin());
      return {Wait::For::again};
    case sync_file_range:
      return fs_.known(operation.file) ? begin_sync_file_range(now) : Wait{};
    case syncfs:
    case sync:
    case freeze:
    case unmount:
      return begin_sync_all(now);
    case remount:  // only a change to read-only syncs (fs/super.c:reconfigure_super)
      return fs_.remount_by_call(operation) ? begin_sync_all(now) : Wait{};
    default:
      fs_.apply(operation, now);
      if (const Sequence sequence = fs_.take_wait(); sequence != 0) {
        step_ = Step::synchronous;
        return {Wait::For::durable, kNoFile, sequence};
      }
      step_ = Step::applied;
      return {Wait::For::again};
  }
}

Wait SyncCall::next_step(Time now) {
  const Operation& op = *operation_;
  switch (step_) {
    case Step::applied:
      return after_applied(now);
    case Step::stored: {
      const std::int64_t length = std::max<std::int64_t>(op.length, 1);
      return write_range(now, fs_.block_of(op.offset), fs_.block_of(op.offset + length - 1) + 1);
    }
    case Step::written:
      step_ = Step::data;
      if (fs_.io_in_flight(op.file)) return {Wait::For::data, op.file};
      return after_data(now);
    case Step::data:
      return after_data(now);
    case Step::fast_commit:
      return ask_fast_commit(now);
    case Step::locking:
      return write_fast_commit(now);
    case Step::own_commit:
    case Step::synchronous:
      return {};
    case Step::full_commit:
      return after_full_commit(now);
  }
  return {};
}

// ---- data -----------------------------------------------------------------------------------

// The file's own pages first, then its transaction.
Wait SyncCall::write_range(Time now, std::uint64_t first, std::uint64_t end) {
  const FileId file = operation_->file;
  if (!datasync_) fs_.write_deferred_times(file, now, origin());
  journalled_pages_ = fs_.journals_data() && fs_.inode(file).dirty_pages;
  if (fs_.start_writeback(file, first, end, now, origin()))
    fs_.note_started_io(file, AwaitedBy::call);
  step_ = Step::written;
  return {Wait::For::again};
}

Wait SyncCall::begin_sync_file_range(Time now) {
  const Operation& op = *operation_;
  const std::uint64_t first = fs_.block_of(op.offset);
  const std::uint64_t end =
      op.length == 0 ? ExtentTree::kEnd : fs_.block_of(op.offset + op.length - 1) + 1;
  const bool waits = (op.value & (kWaitBefore | kWaitAfter)) != 0;
  if ((op.value & kWrite) != 0 && fs_.start_writeback(op.file, first, end, now, origin()))
    fs_.note_started_io(op.file, waits ? AwaitedBy::call_return : AwaitedBy::nobody);
  if (!waits || !fs_.io_in_flight(op.file)) return {};
  step_ = Step::data;
  return {Wait::For::data, op.file};
}

// sync waits for everybody's data before it commits; syncfs starts writeback, commits, waits for
// the data, and commits again what the ends of I/O have opened (fs/sync.c).
Wait SyncCall::begin_sync_all(Time now) {
  for (const FileId file : fs_.dirty_files(now)) {
    journalled_pages_ |= fs_.journals_data() && fs_.inode(file).dirty_pages;
    fs_.write_deferred_times(file, now, origin());
    if (fs_.start_writeback(file, 0, ExtentTree::kEnd, now, origin()))
      fs_.note_started_io(file, AwaitedBy::call);
    fs_.mark_clean(file);
  }
  step_ = Step::data;
  return {Wait::For::all_data};
}

// What generic_write_sync does after a write, and what fallocate does itself, which commits without
// writing data (fs/ext4/extents.c:ext4_fallocate; its other modes do not).
Wait SyncCall::after_applied(Time now) {
  const Operation& op = *operation_;
  if (!fs_.known(op.file)) return {};
  if (op.kind == OperationKind::fallocate) {
    constexpr std::uint64_t keep_size = 1;
    if ((op.value & ~keep_size) != 0 || (op.flags & kSynchronous) == 0) return {};
    datasync_ = false;
    step_ = Step::data;
    return after_data(now);
  }
  if (op.kind != OperationKind::write || op.length <= 0) return {};
  datasync_ = (op.flags & operation_flag::sync) == 0;
  return write_range(now, fs_.block_of(op.offset), fs_.block_of(op.offset + op.length - 1) + 1);
}

Wait SyncCall::after_data(Time now) {
  if (operation_->kind == OperationKind::sync_file_range) return {};
  if (everything()) return commit_everything(now);
  const FileId file = operation_->file;
  if (!fs_.known(file) || !fs_.geometry().has_journal) return {};
  const FastCommitRules& rules = fs_.rules().fast_commit;
  if (fs_.file_journals_data(file) && rules.data_journal_fsync == DataJournalFsync::force_commit)
    return force_commit(now, Cause::ineligible);
  if (!fs_.inode(file).regular() && rules.directory_fsync == DirectoryFsync::force_commit) {
    fs_.count_directory_fsync();
    return force_commit(now, Cause::directory_fsync);
  }
  if (fs_.fast_commit().active()) return ask_fast_commit(now);
  tid_ = fs_.sync_tid(file, datasync_);
  return complete_transaction(now, Cause::fast_commit_off);
}

// ---- fast commits ---------------------------------------------------------------------------

// ext4_fc_commit; a sleeper whose sleep saw a fast commit end is done (SKIPPED).
Wait SyncCall::ask_fast_commit(Time now) {
  fast_commit::FastCommit& log = fs_.fast_commit();
  const std::optional<Time> asks_at = time_->asks_at();
  if (asks_at && !asked_) {
    if (now < *asks_at) {
      step_ = Step::data;
      return {.what = Wait::For::moment, .until = *asks_at};
    }
    generation_ = log.generation();
  }
  tid_ = fs_.sync_tid(operation_->file, datasync_);
  undisturbed_ = !asked_ && generation_ == log.generation() && durable_ == fs_.journal().durable();
  if (generation_ != log.generation()) {
    // A sleeper returns when it is woken. Within the last moments of a commit the trace's times do
    // not tell who slept, but the answer does. Whether this call slept through the fast commit that
    // has ended since it began, the trace knows: if so, it returned too soon for one of its own.
    const bool asks_known = asks_at || !time_->recorded();
    if (asks_known ? asked_ && !time_->wrote_fast_commit() : !time_->leaves_time_to_commit(now)) {
      log.count_skipped();
      note_attempt(now, Outcome::skipped);
      return {};
    }
    generation_ = log.generation();
  }
  if (!asked_) asked_at_ = now;
  asked_ = true;
  using fast_commit::Attempt;
  const Attempt attempt = log.attempt(tid_);
  switch (attempt) {
    case Attempt::skipped:
      note_attempt(now, Outcome::skipped);
      return {};
    case Attempt::must_wait:
      step_ = Step::fast_commit;
      return {Wait::For::log_write, kNoFile, 0, undisturbed_};
    case Attempt::first:
      note_attempt(now, Outcome::failed);
      return complete_transaction(now, Cause::first_commit);
    case Attempt::ineligible:
      note_attempt(now, Outcome::ineligible);
      return force_commit(now, Cause::ineligible);
    default:
      assert(attempt == Attempt::begun);
      fs_.journal().hold(now, true);
      return write_fast_commit(now);
  }
}

// Handles are locked out while inodes are marked, and that waits for the handles that ends of I/O
// have reserved (fs/jbd2/transaction.c:jbd2_journal_lock_updates). Where the trace does not tell
// when those were, others' data is taken to be on disk.
Wait SyncCall::write_fast_commit(Time now) {
  fast_commit::FastCommit& log = fs_.fast_commit();
  step_ = Step::locking;
  if (time_->asks_at())
    if (const FileId file = fs_.oldest_in_flight(); file != kNoFile) return {Wait::For::data, file};
  using fast_commit::Attempt;
  const Attempt attempt = log.write_log();
  if (attempt == Attempt::started) {
    step_ = Step::own_commit;
    fs_.tell_fast_commit_begun();
    fs_.set_fast_commit_writer(origin(), asked_at_);
    return {Wait::For::own_write, kNoFile, 0, undisturbed_, asked_at_};
  }
  fs_.journal().hold(now, false);
  if (attempt == Attempt::refused) {
    note_attempt(now, Outcome::ineligible);
    return force_commit(now, Cause::snapshot_refused);
  }
  note_attempt(now, Outcome::failed);
  return force_commit(now, attempt == Attempt::failed ? Cause::area_full : Cause::log_failed);
}

Wait SyncCall::take_over_write(Time) {
  assert(step_ == Step::fast_commit);
  step_ = Step::own_commit;
  fs_.set_fast_commit_writer(origin(), asked_at_);
  return {Wait::For::own_write, kNoFile, 0, undisturbed_, asked_at_};
}

Wait SyncCall::give_up_write(Time) {
  assert(step_ == Step::own_commit);
  step_ = Step::fast_commit;
  return {Wait::For::log_write};
}

void SyncCall::note_attempt(Time now, Outcome outcome) {
  FastCommitRecord record;
  record.start = asked_ ? asked_at_ : now;
  record.end = now;
  record.tid = tid_;
  record.outcome = outcome;
  record.origin = origin();
  fs_.tell_fast_commit(record);
}

// ---- full commits ---------------------------------------------------------------------------

// jbd2_complete_transaction: the transaction is committed if it is still open.
Wait SyncCall::complete_transaction(Time now, Cause cause) {
  if (tid_ != 0 && fs_.journal().running() == tid_) return force_commit(now, cause);
  return tid_ > fs_.journal().durable() ? wait_for(tid_, true) : Wait{};
}

// Commits what is open, or waits for what is being committed.
Wait SyncCall::force_commit(Time now, Cause cause) {
  Journal& journal = fs_.journal();
  if (const Tid running = journal.running(); running != 0) {
    journal.force(now, cause, origin());
    return wait_for(running, false);
  }
  return journal.committing() != 0 ? wait_for(journal.committing(), true) : Wait{};
}

Wait SyncCall::wait_for(Tid tid, bool begun_before) {
  step_ = Step::full_commit;
  tid_ = tid;
  Wait wait{Wait::For::durable, kNoFile, tid};
  wait.begun_before = begun_before;
  return wait;
}

bool SyncCall::everything() const {
  using enum OperationKind;
  const OperationKind kind = operation_->kind;
  return kind == syncfs || kind == sync || kind == freeze || kind == remount || kind == unmount;
}

Wait SyncCall::after_full_commit(Time now) {
  if (everything()) return commit_everything(now);
  const FileId file = operation_->file;
  if (asked_ && fs_.known(file) && fs_.file_journals_data(file)) {
    fs_.fast_commit().count_skipped();  // writeback asked first, the fsync asks again
    note_attempt(now, Outcome::skipped);
  }
  if (journalled_pages_ && fs_.known(file)) {
    fs_.touch_journal(now, origin());
    fs_.pages_written(file);
  }
  return {};
}

// sync and syncfs go on until nothing is open.
Wait SyncCall::commit_everything(Time now) {
  const OperationKind kind = operation_->kind;
  Journal& journal = fs_.journal();
  // Journalled data is written home between the two passes of syncfs, with a handle that dirties
  // nothing (fs/ext4/inode.c:ext4_writepages on a data-journalled inode).
  if (passes_ == 1 && kind == OperationKind::syncfs && journalled_pages_ &&
      journal.running() == 0) {
    passes_ = 2;
    fs_.touch_journal(now, origin());
    return force_commit(now, Cause::sync);
  }
  if (passes_++ == 0 && journal.running() != 0) {
    const bool sync = kind == OperationKind::sync || kind == OperationKind::syncfs;
    return force_commit(now, sync ? Cause::sync : Cause::administration);
  }
  if (journal.committing() != 0 && journal.running() == 0 && passes_ == 1)
    return wait_for(journal.committing(), true);
  journal.checkpoint_all();
  return {};
}

}  // namespace fcsim::model::ext4
