#include "model/xfs/sync_call.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model::xfs {
namespace {

constexpr std::uint64_t kWaitBefore = 1, kWrite = 2, kWaitAfter = 4;  // SYNC_FILE_RANGE_*

bool is_synchronous(const Xfs& fs, const Operation& op) {
  return (op.flags & (operation_flag::sync | operation_flag::dsync)) != 0 ||
         fs.settings().mount.sync;
}

}  // namespace

bool SyncCall::waits(const Xfs& fs, const Operation& op) {
  switch (op.kind) {
    case OperationKind::fsync:
    case OperationKind::fdatasync:
    case OperationKind::msync:
    case OperationKind::sync_file_range:
    case OperationKind::sync:
    case OperationKind::syncfs:
    case OperationKind::freeze:
    case OperationKind::remount:
    case OperationKind::unmount:
      return true;
    case OperationKind::write:
      return fs.known(op.file) && op.length > 0 && is_synchronous(fs, op);
    default:
      return changes_synchronously(fs, op);
  }
}

bool SyncCall::changes_synchronously(const Xfs& fs, const Operation& op) {
  const Mount& mount = fs.settings().mount;
  const bool wsync = mount.wsync || mount.sync;
  switch (op.kind) {
    case OperationKind::create:
    case OperationKind::mkdir:
    case OperationKind::symlink:
    case OperationKind::mknod:
    case OperationKind::link:
    case OperationKind::unlink:
    case OperationKind::rmdir:
    case OperationKind::rename:
    case OperationKind::exchange:
      return wsync || mount.dirsync;
    case OperationKind::tmpfile:
    case OperationKind::truncate:
    case OperationKind::set_attributes:
    case OperationKind::set_xattr:
    case OperationKind::remove_xattr:
    case OperationKind::clone:
      return wsync;
    case OperationKind::fallocate:
      return wsync || (op.flags & (operation_flag::sync | operation_flag::dsync)) != 0;
    default:
      return false;
  }
}

Wait SyncCall::begin(const Operation& op, Time now, CallTime&) {
  file_system_.begin_at(now);
  operation_ = &op;
  result_ = SyncResult::nothing;
  reason_ = SyncReason::nothing_pending;
  everything_ = false;
  const bool about_file = op.kind != OperationKind::sync && op.kind != OperationKind::syncfs &&
                          op.kind != OperationKind::freeze && op.kind != OperationKind::remount &&
                          op.kind != OperationKind::unmount;
  if (!about_file) return settled(begin_everything(now), now);
  if (changes_synchronously(fs_, op)) return begin_change(now);
  if (!fs_.known(op.file)) return {};
  const std::uint64_t first = fs_.block_of(std::max<std::int64_t>(op.offset, 0));
  const std::uint64_t end = fs_.blocks_for(op.offset + std::max<std::int64_t>(op.length, 1));
  datasync_ = op.kind != OperationKind::fsync;
  switch (op.kind) {
    case OperationKind::fsync:
    case OperationKind::fdatasync:
      return settled(begin_file(now, 0, kEndOfBlocks), now);
    case OperationKind::msync:
      if ((op.flags & operation_flag::mapped_for_write) != 0)
        fs_.store_through_mapping(op.file, op.offset, op.length, now, origin());
      return settled(begin_file(now, first, end), now);
    case OperationKind::sync_file_range:
      return settled(begin_sync_file_range(now), now);
    default:
      assert(op.kind == OperationKind::write);
      datasync_ = (op.flags & operation_flag::sync) == 0 && !fs_.settings().mount.sync;
      fs_.apply(op, now);
      if (datasync_ && fs_.wrote_through()) {  // FUA writes need no flush after them
        result_ = SyncResult::log_write;
        return settled({}, now);
      }
      return settled(begin_file(now, first, end), now);
  }
}

Wait SyncCall::next(Time now) {
  switch (step_) {
    case Step::data:
      return settled(everything_ ? force_everything(now) : force(now), now);
    case Step::flush:  // someone else's log write is over
      flush();
      break;
    case Step::log:
    case Step::written:
      break;
  }
  return settled({}, now);
}

void SyncCall::flush() {
  fs_.device().flush();
  if (fs_.device().has_cache()) result_ = SyncResult::flush_only;
}

Wait SyncCall::begin_change(Time now) {
  fs_.apply(*operation_, now);
  step_ = Step::log;
  const Sequence sequence = file_system_.take_wait();
  if (sequence == 0) return settled({}, now);
  result_ = SyncResult::log_write;
  reason_ = SyncReason::changes;
  return settled({Wait::For::durable, kNoFile, sequence}, now);
}

// Held access times go with fsync, not with fdatasync (fs/sync.c:vfs_fsync_range).
Wait SyncCall::begin_file(Time now, std::uint64_t first, std::uint64_t end) {
  const FileId file = operation_->file;
  if (!datasync_) fs_.write_deferred_times(file, now, origin());
  if (fs_.start_writeback(file, first, end, now, origin()))
    file_system_.start_io(file, AwaitedBy::call);
  step_ = Step::data;
  if (fs_.io_in_flight(file)) return {Wait::For::data, file};
  return force(now);
}

Wait SyncCall::begin_sync_file_range(Time now) {
  const Operation& op = *operation_;
  const bool waits = (op.value & (kWaitBefore | kWaitAfter)) != 0;
  const std::uint64_t first = fs_.block_of(std::max<std::int64_t>(op.offset, 0));
  const std::uint64_t end = op.length == 0 ? kEndOfBlocks : fs_.blocks_for(op.offset + op.length);
  if ((op.value & kWrite) != 0 && fs_.start_writeback(op.file, first, end, now, origin()))
    file_system_.start_io(op.file, waits ? AwaitedBy::call_return : AwaitedBy::nobody);
  step_ = Step::written;
  reason_ = SyncReason::data_only;
  if (waits && fs_.io_in_flight(op.file)) return {Wait::For::data, op.file};
  return {};
}

Wait SyncCall::begin_everything(Time now) {
  everything_ = true;
  for (const FileId file : fs_.dirty_files(now))
    if (fs_.start_writeback(file, 0, kEndOfBlocks, now, origin()))
      file_system_.start_io(file, AwaitedBy::call);
  step_ = Step::data;
  return {Wait::For::all_data};
}

// All held times become transactions; the log is written if anything is in it. Never a flush.
Wait SyncCall::force_everything(Time now) {
  for (const FileId file : fs_.files_with_held_times())
    fs_.write_deferred_times(file, now, origin());
  const xfs_log::Log::Force force = fs_.log().force_all(now, CheckpointCause::sync, origin());
  if (force.writes) {
    result_ = SyncResult::log_write;
    reason_ = SyncReason::changes;
  }
  step_ = Step::log;
  if (force.wait_for == 0) return {};
  return {Wait::For::durable, kNoFile, force.wait_for};
}

// One checkpoint of all that was changed, or one empty flush; a directory needs no flush.
Wait SyncCall::force(Time now) {
  const FileId file = operation_->file;
  if (!fs_.known(file)) return {};
  const bool directory = fs_.inode(file).directory();
  const Sequence sequence = fs_.sync_sequence(file, datasync_ && !directory);
  fs_.synced(file);
  const CheckpointCause cause =
      directory ? CheckpointCause::directory_fsync : CheckpointCause::fsync;
  const xfs_log::Log::Force force = fs_.log().force(sequence, now, cause, origin());
  if (force.writes) {
    result_ = SyncResult::log_write;
    reason_ = SyncReason::changes;
  } else if (force.wait_for != 0) {
    reason_ = SyncReason::written_by_another;
  } else if (datasync_ && fs_.inode(file).commit_sequence > fs_.log().durable()) {
    reason_ = SyncReason::timestamps_only;
  }
  step_ = force.writes || directory ? Step::log : Step::flush;
  if (force.wait_for != 0) return {Wait::For::durable, kNoFile, force.wait_for};
  if (!directory) flush();
  return {};
}

}  // namespace fcsim::model::xfs
