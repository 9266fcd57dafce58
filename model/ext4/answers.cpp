// What the engine asks of the file system beyond the calls themselves: which of them wait, what the
// flusher and the log do, and the counters.
#include <algorithm>

#include "model/ext4/filesystem.h"
#include "model/ext4/sync_call.h"

namespace fcsim::model::ext4 {
namespace {

// What is the same in settings that may share a run.
Configuration in_common(Configuration setting) {
  setting.filesystem.journal_blocks = setting.filesystem.fast_commit_blocks = 0;
  setting.mount.commit_interval_s = 0;
  setting.kernel.range_tracking.max_ranges = 0;
  setting.kernel.snapshot.max_inodes = setting.kernel.snapshot.max_ranges = 0;
  setting.kernel.profile.clear();
  setting.kernel.summary.clear();
  return setting;
}

constexpr std::uint64_t kFastCommit = std::uint64_t{1} << 63;  // LogWrite::id; else a tid

}  // namespace

// ---- calls ----------------------------------------------------------------------------------

bool FileSystem::waits(const Operation& operation) const {
  using enum OperationKind;
  constexpr std::uint32_t synchronous = operation_flag::sync | operation_flag::dsync;
  switch (operation.kind) {
    case fsync:
    case fdatasync:
    case msync:
    case sync_file_range:
    case syncfs:
    case sync:
    case freeze:
    case OperationKind::remount:
    case unmount:
      return true;
    case OperationKind::fallocate:
      return (operation.flags & synchronous) != 0;
    case OperationKind::write:  // O_SYNC and O_DSYNC, and what makes every write synchronous
      return (operation.flags & synchronous) != 0 ||
             (known(operation.file) && is_synchronous(inodes_[operation.file]));
    default:
      return false;
  }
}

std::unique_ptr<model::SyncCall> FileSystem::make_sync_call() {
  return std::make_unique<SyncCall>(*this);
}

bool FileSystem::committing(FileId file) const {
  return known(file) && fast_commit_.committing(inodes_[file].tracked);
}

// No handle starts until a fast commit has marked its inodes and, up to 6.15, until it is over:
// whoever changes anything waits. Later a change of an inode of that commit waits, directories not
// included (fs/ext4/fast_commit.c:ext4_fc_track_inode).
bool FileSystem::stopped(const Operation& operation) const {
  if (!fast_commit_.ongoing()) return false;
  const FastCommitRules& rules = configuration_.kernel.fast_commit;
  if (!fast_commit_.writing() || rules.handles_stopped_throughout) return begins_handle(operation);
  // strace's times do not tell which came first, the commit or the change: with the rule 5 more of
  // 297 recorded rule cases differ, all of them threaded.
  const bool order_known = operation.cpu >= 0;
  return rules.handles_wait_for_inode && order_known && changes_committing_inode(operation);
}

bool FileSystem::changes_committing_inode(const Operation& operation) const {
  using enum OperationKind;
  switch (operation.kind) {
    case OperationKind::write:
    case OperationKind::truncate:
    case fallocate:
    case set_attributes:
    case set_xattr:
    case remove_xattr:
    case set_flags:
    case OperationKind::link:
    case OperationKind::unlink:
      return committing(operation.file);
    case OperationKind::rename:
    case exchange:
      return committing(operation.file) || committing(operation.file2);
    case fsync:
    case fdatasync:
      return committing(operation.file) && !inodes_[operation.file].pending.empty();
    default:
      return false;
  }
}

bool FileSystem::begins_handle(const Operation& operation) const {
  using enum OperationKind;
  switch (operation.kind) {
    case OperationKind::open:
    case OperationKind::release:
    case OperationKind::read:
    case lookup:
    case get_attributes:
    case follow_symlink:
    case map_shared:
    case unmap:
      return false;
    case fsync:
    case fdatasync:
      return known(operation.file) && !inodes_[operation.file].pending.empty();
    default:
      return true;
  }
}

// ---- data -----------------------------------------------------------------------------------

void FileSystem::end_io(FileId file, Time now) {
  if (known(file) && io_in_flight(file)) complete_io(file, now);
}

void FileSystem::write_back(Time now, Time before) {
  for (const FileId file : dirty_files(before)) {
    if (start_writeback(file, 0, ExtentTree::kEnd, now, {0, 0, 0, OperationKind::none, file}))
      note_started_io(file, AwaitedBy::nobody);
    mark_clean(file);
  }
  if (metadata_dirty_since_ != 0 && metadata_dirty_since_ <= before) metadata_dirty_since_ = 0;
}

// ---- the log --------------------------------------------------------------------------------

std::span<const LogWrite> FileSystem::log_writes() {
  log_writes_.clear();
  if (fast_commit_.writing())
    log_writes_.push_back(
        {kFastCommit | fast_commit_.generation(), 0, fast_commit_.current().blocks, true});
  if (const std::optional<LogWrite> full = journal_->writing()) log_writes_.push_back(*full);
  return {log_writes_.data(), log_writes_.size()};
}

void FileSystem::end_log_write(std::uint64_t id, Time now) {
  if ((id & kFastCommit) == 0) {
    if (metadata_dirty_since_ == 0) metadata_dirty_since_ = now;
    journal_->end_write(now);
    return;
  }
  FastCommitRecord record = fast_commit_.finish();
  record.start = fast_commit_asked_at_;
  record.end = now;
  record.origin = fast_commit_writer_;
  if (changes_ != nullptr) changes_->on_fast_commit_written(now);
  tell_fast_commit(record);
  journal_->hold(now, false);
}

// The journal's last act (fs/jbd2/journal.c:jbd2_journal_destroy).
bool FileSystem::commit_rest(Time now) {
  if (journal_->running() == 0) return false;
  journal_->happen(now);
  return true;
}

// ---- answers --------------------------------------------------------------------------------

void FileSystem::read(Counters& c) const {
  const fast_commit::FastCommitCounters& fc = fast_commit_.counters();
  c.commits = fc.commits;
  c.ineligible = fc.ineligible;
  c.numblks = fc.numblks;
  c.skipped = fc.skipped;
  c.failed = fc.failed;
  const std::vector<std::string>& names = rules().ineligible.reasons;
  for (std::size_t i = 0; i < names.size() && i < fast_commit::kReasons; ++i)
    c.reasons.emplace_back(names[i], fc.reasons[i]);
  c.has_snapshot = rules().snapshot.enabled;
  c.snapshot.inodes = fc.snapshot.inodes;
  c.snapshot.ranges = fc.snapshot.ranges;
  c.snapshot.es_miss = fc.snapshot.not_cached;
  c.snapshot.es_delayed = fc.snapshot.delayed;
  c.snapshot.inodes_cap = fc.snapshot.inodes_cap;
  c.snapshot.ranges_cap = fc.snapshot.ranges_cap;
  c.tracker_memory = fc.memory;
  c.has_journal = geometry_.has_journal;
  c.fast_commit_active = geometry_.fast_commit_active;
  c.max_transaction_blocks = geometry_.max_transaction_blocks;
  const JournalTotals totals = journal_->totals();
  c.transactions = totals.transactions;
  c.requested = totals.requested;
  c.blocks = totals.blocks;
  c.blocks_logged = totals.blocks_logged;
  c.handles = totals.handles;
  c.causes = causes_;
  c.directory_fsyncs = directory_fsyncs_;
}

void FileSystem::tell_unsupported(Unsupported& unsupported) const {
  if (notes_.mapped_stores_guessed != 0)
    unsupported["stores through shared mappings (all of a synced range taken as stored to)"] =
        notes_.mapped_stores_guessed;
  if (notes_.out_of_space != 0)
    unsupported["allocations beyond the free space"] = notes_.out_of_space;
}

void FileSystem::observe(FileSystemObserver& observer) {
  changes_ = &observer;
  add_observer(observer);
  observer.on_attach(*this);
}

FileVersion FileSystem::version_of(FileId file) const {
  FileVersion version;
  if (!known(file)) return version;
  const Inode& inode = inodes_[file];
  version.type = inode.type;
  version.links = inode.links;
  version.size = inode.disk_size;
  for (std::uint64_t block = 0; block < ExtentTree::kEnd;) {
    const ExtentTree::Lookup run = inode.extents.lookup(block);
    if (run.mapped) version.map.push_back({block, run.physical, run.end - block, run.unwritten});
    block = std::max(run.end, block + 1);
  }
  return version;
}

void FileSystem::tell_fast_commit_begun() {
  if (changes_ == nullptr) return;
  std::vector<FileId> inodes;
  for (const FileId file : fast_commit_.queued())
    if (file != kNoFile) inodes.push_back(file);
  changes_->on_fast_commit_begun(inodes);
}

bool FileSystem::holds_for(const Configuration& setting, Time now, Counters& counters) const {
  const Geometry geometry(setting.filesystem, setting.mount, setting.kernel);
  if (geometry.has_journal != geometry_.has_journal ||
      geometry.fast_commit_active != geometry_.fast_commit_active ||
      !journal_->holds_for(geometry, setting.mount, now) ||
      !fast_commit_.holds_for(geometry, setting.kernel, counters.tracker_memory) ||
      in_common(setting) != in_common(configuration_) ||
      !blocks_.holds_for(geometry, setting.filesystem))
    return false;
  counters.max_transaction_blocks = geometry.max_transaction_blocks;
  return true;
}

void FileSystem::add_observer(JournalObserver& observer) {
  journal_->add_observer(observer);
  observers_.push_back(&observer);
}

}  // namespace fcsim::model::ext4
