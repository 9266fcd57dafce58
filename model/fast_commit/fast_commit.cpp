#include "model/fast_commit/fast_commit.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace fcsim::model::fast_commit {

FastCommit::FastCommit(const Geometry& geometry, const KernelRules& kernel, Journal& journal,
                       InodeSource& inodes)
    : geometry_(geometry),
      kernel_(kernel),
      journal_(journal),
      inodes_(inodes),
      tracker_(range_tracking::make_range_tracker(kernel.range_tracking)),
      area_(geometry.fast_commit_usable_blocks),
      snapshot_inodes_(kernel.snapshot.max_inodes),
      snapshot_most_(kernel.snapshot.max_ranges) {}

void FastCommit::mount_again() {
  assert(!writing_);
  area_ = Limit(geometry_.fast_commit_usable_blocks);
  main_.clear();
  staging_.clear();
  main_dentries_.clear();
  staging_dentries_.clear();
  ineligible_ = full_running_ = head_written_ = false;
  used_blocks_ = 0;
  transactions_.clear();
  counters_ = {};
}

// ---- tracking -------------------------------------------------------------------------------

void FastCommit::track_inode(FileId file, bool unloggable, std::uint32_t marks,
                             const Origin& origin) {
  if (!active()) return;
  if (unloggable) {
    mark(Reason::data_journalling, marks, origin);
    return;
  }
  if (!ineligible_) track(file, inodes_.tracked(file));
}

void FastCommit::track_range(FileId file, std::uint32_t start, std::uint32_t end) {
  if (!active() || ineligible_) return;
  TrackedInode& inode = inodes_.tracked(file);
  track(file, inode);
  if (!tracker_->track(inode.ranges, start, end)) mark(Reason::insufficient_memory, 1, {});
}

// The first call in a transaction drops what an older one left (ext4_fc_track_template).
bool FastCommit::track(FileId file, TrackedInode& inode) {
  assert(journal_.running() != 0);
  const Tid tid = journal_.running();
  const bool first = inode.sync_tid != tid;
  if (first) {
    inode.ranges.clear();
    inode.sync_tid = tid;
  }
  enqueue(file, inode);
  return first;
}

void FastCommit::enqueue(FileId file, TrackedInode& inode) {
  if (inode.queue != TrackedInode::Queue::none) {
    inode.requeued = inode.requeued || (kernel_.snapshot.enabled && committing(inode));
    return;
  }
  std::vector<FileId>& queue = staging() ? staging_ : main_;
  inode.queue = staging() ? TrackedInode::Queue::staging : TrackedInode::Queue::main;
  inode.position = static_cast<std::uint32_t>(queue.size());
  queue.push_back(file);
}

void FastCommit::track_dentry(DentryKind kind, FileId file, std::uint32_t name_length) {
  if (!active() || ineligible_) return;
  TrackedInode& inode = inodes_.tracked(file);
  const Tid tid = journal_.running();
  if (inode.sync_tid != tid) {
    inode.ranges.clear();
    inode.sync_tid = tid;
  }
  std::vector<Dentry>& queue = staging() ? staging_dentries_ : main_dentries_;
  if (kind == DentryKind::create) {
    inode.has_create_record = true;
    inode.create_in_staging = staging();
    inode.create_position = static_cast<std::uint32_t>(queue.size());
  }
  queue.push_back({kind, static_cast<std::uint16_t>(name_length),
                   kind == DentryKind::create ? file : kNoFile, false});
}

void FastCommit::forget(FileId file) {
  TrackedInode& inode = inodes_.tracked(file);
  if (inode.queue != TrackedInode::Queue::none) {
    auto& queue = inode.queue == TrackedInode::Queue::main ? main_ : staging_;
    assert(inode.position < queue.size() && queue[inode.position] == file);
    queue[inode.position] = kNoFile;
    inode.queue = TrackedInode::Queue::none;
  }
  if (inode.has_create_record) {
    auto& queue = inode.create_in_staging ? staging_dentries_ : main_dentries_;
    assert(inode.create_position < queue.size() && queue[inode.create_position].file == file);
    queue[inode.create_position] = {DentryKind::create, 0, kNoFile, true};
    inode.has_create_record = false;
  }
  inode.ranges.clear();
}

void FastCommit::leave_memory(FileId file, const Origin& origin) {
  if (inodes_.tracked(file).queue != TrackedInode::Queue::none)
    mark(Reason::insufficient_memory, 1, origin);
  forget(file);
}

void FastCommit::touch_inode(TrackedInode& inode) {
  inode.sync_tid = journal_.running();
}

void FastCommit::read_inode(TrackedInode& inode) {
  inode.sync_tid = journal_.newest();
}

void FastCommit::mark_once(Reason reason, const Origin& origin) {
  if (!ineligible_) mark(reason, 1, origin);
}

// The reason counts always; the flag remembers the newest transaction that was marked
// (ext4_fc_mark_ineligible).
void FastCommit::mark(Reason reason, std::uint32_t times, const Origin& origin) {
  if (!active() || times == 0) return;
  counters_.reasons[static_cast<std::size_t>(reason)] += times;
  const Tid running = journal_.running();
  if (!ineligible_ && running != 0) {
    OfTransaction& transaction = of_running();
    transaction.reason = static_cast<std::uint16_t>(reason);
    transaction.marked_by = origin;
  }
  ineligible_ = true;
  ineligible_tid_ = std::max(ineligible_tid_, running);
}

// ---- committing -----------------------------------------------------------------------------

// The order of the tests is the kernel's (jbd2_fc_begin_commit, ext4_fc_commit).
Attempt FastCommit::attempt(Tid tid) {
  assert(active());
  if (!journal_.committed_any()) {
    ++counters_.ineligible;
    ++counters_.failed;
    return Attempt::first;
  }
  if (tid <= journal_.durable()) {
    ++counters_.skipped;
    return Attempt::skipped;
  }
  if (staging()) return Attempt::must_wait;
  if (ineligible_) {
    fail_attempt(false);
    return Attempt::ineligible;
  }
  ongoing_ = true;
  current_ = {};
  current_.tid = tid;
  return Attempt::begun;
}

Attempt FastCommit::write_log() {
  assert(ongoing_ && !writing_);
  if (kernel_.snapshot.enabled && !take_snapshot()) {
    fail_attempt(false);
    return Attempt::refused;
  }
  LogPacker log(geometry_.block_size);
  if (!head_written_) log.add(record_bytes::head);
  build(log);
  if (log.failed()) {
    fail_attempt(true);
    return Attempt::log_failed;
  }
  if (log.too_long() || !area_.allows(std::int64_t{used_blocks_} + log.blocks())) {
    fail_attempt(true);
    return Attempt::failed;
  }
  writing_ = true;
  head_written_ = true;
  current_.outcome = Outcome::ok;
  current_.blocks = log.blocks();
  current_.inodes = log.inodes;
  current_.ranges = log.ranges;
  current_.names = log.names;
  return Attempt::started;
}

// A fallback cleans up for the running transaction before its full commit is asked for, and leaves
// no time in which another fast commit could begin (fs/jbd2/journal.c:__jbd2_fc_end_commit).
void FastCommit::fail_attempt(bool failed) {
  ++counters_.ineligible;
  if (failed) ++counters_.failed;
  ongoing_ = false;
  cleanup(false, journal_.newest());
  full_running_ = true;
}

FastCommitRecord FastCommit::finish() {
  assert(writing_);
  ongoing_ = writing_ = false;
  used_blocks_ += current_.blocks;
  ++counters_.commits;
  counters_.numblks += current_.blocks;
  ++generation_;
  if (journal_.running() != 0) ++of_running().fast_commits;
  cleanup(false, 0);
  return current_;
}

// HEAD once a transaction, the names in order (a CREAT behind its new inode and that one's ranges),
// then the queued inodes with their ranges, then TAIL (ext4_fc_perform_commit).
void FastCommit::build(LogPacker& log) {
  for (const Dentry& dentry : main_dentries_) {
    if (dentry.dropped) continue;
    if (dentry.kind == DentryKind::create) {
      log.add(record_bytes::inode(inodes_.raw_inode_bytes(dentry.file)));
      add_ranges(dentry.file, log);
    }
    log.add(record_bytes::dentry(dentry.name_length));
    ++log.names;
  }
  for (const FileId file : main_) {
    if (file == kNoFile) continue;
    add_ranges(file, log);
    log.add(record_bytes::inode(inodes_.raw_inode_bytes(file)));
    ++log.inodes;
  }
  log.add(record_bytes::tail);
}

// What is left of the area, full of the shortest record: one more does not fit in whatever way they
// are packed.
std::size_t FastCommit::most_range_records() const {
  const std::uint64_t usable = geometry_.fast_commit_usable_blocks;
  const std::uint64_t left = usable > used_blocks_ ? usable - used_blocks_ : 0;
  return left * geometry_.block_size / record_bytes::del_range;
}

// Without snapshots the walk is made now and consumes the ranges; with them it reads the copy.
void FastCommit::add_ranges(FileId file, LogPacker& log) {
  TrackedInode& inode = inodes_.tracked(file);
  std::size_t first = inode.first_record;
  std::size_t end = inode.end_record;
  if (!kernel_.snapshot.enabled) {
    if (inode.ranges.empty()) return;
    counters_.memory.add(tracker_->bytes(inode.ranges));
    records_.clear();
    if (inodes_.walk_ranges(file, records_, most_range_records()) == RangeWalk::unmappable)
      log.fail();
    inode.ranges.clear();
    first = 0;
    end = records_.size();
  }
  for (std::size_t i = first; i < end; ++i) log.add(records_[i]);
  log.ranges += static_cast<std::uint32_t>(end - first);
}

// With the handles stopped, every queued inode is copied, then those that only a CREAT names; too
// many of them are refused before any is copied (patch series "ext4: fast commit: snapshot inode
// state for FC log", v4 1/7 and 3/7; run on 6.12 with that behaviour).
bool FastCommit::take_snapshot() {
  records_.clear();
  snapshot_ranges_ = 0;
  std::uint64_t count = 0;
  for (const FileId file : main_) count += file != kNoFile ? 1 : 0;
  const auto create_only = [&](const Dentry& dentry) {
    return dentry.kind == DentryKind::create && !dentry.dropped &&
           inodes_.tracked(dentry.file).queue != TrackedInode::Queue::main;
  };
  for (const Dentry& dentry : main_dentries_) count += create_only(dentry) ? 1 : 0;
  if (!snapshot_inodes_.allows(static_cast<std::int64_t>(count))) {
    ++counters_.snapshot.inodes_cap;
    return false;
  }
  for (const FileId file : main_)
    if (file != kNoFile && !copy_inode(file)) return false;
  for (const Dentry& dentry : main_dentries_)
    if (create_only(dentry) && !copy_inode(dentry.file)) return false;
  return true;
}

// The inode whose copy fails adds nothing to the statistics; those before it stay counted.
bool FastCommit::copy_inode(FileId file) {
  TrackedInode& inode = inodes_.tracked(file);
  inode.first_record = static_cast<std::uint32_t>(records_.size());
  if (!inode.ranges.empty()) counters_.memory.add(tracker_->bytes(inode.ranges));
  const RangeWalk walk =
      inodes_.walk_ranges(file, records_, std::numeric_limits<std::size_t>::max());
  inode.ranges.clear();
  inode.end_record = static_cast<std::uint32_t>(records_.size());
  const std::uint64_t added = inode.end_record - inode.first_record;
  SnapshotCounts& counts = counters_.snapshot;
  if (!snapshot_most_.allows(static_cast<std::int64_t>(snapshot_ranges_ + added))) {
    ++counts.ranges_cap;
    return false;
  }
  if (walk != RangeWalk::complete) {
    ++(walk == RangeWalk::delayed ? counts.delayed : counts.not_cached);
    return false;
  }
  snapshot_ranges_ += added;
  ++counts.inodes;
  counts.ranges += added;
  return true;
}

bool FastCommit::holds_for(const Geometry& geometry, const KernelRules& kernel,
                           TrackerMemory& memory) const {
  if (!active()) return true;
  if (!area_.answers_as(geometry.fast_commit_usable_blocks) ||
      !snapshot_inodes_.answers_as(kernel.snapshot.max_inodes) ||
      !snapshot_most_.answers_as(kernel.snapshot.max_ranges) ||
      !tracker_->holds_for(kernel.range_tracking))
    return false;
  if (kernel.range_tracking.policy == TrackerPolicy::disjoint &&
      kernel.range_tracking.storage == TrackerStorage::inlined && memory.inodes != 0) {
    memory.most = range_tracking::make_range_tracker(kernel.range_tracking)->bytes({});
    memory.bytes = memory.inodes * memory.most;
  }
  return true;
}

FastCommit::OfTransaction& FastCommit::of_running() {
  if (transactions_.empty() || transactions_.back().tid != journal_.running()) {
    transactions_.emplace_back();
    transactions_.back().tid = journal_.running();
  }
  return transactions_.back();
}

void FastCommit::on_commit(FullCommitRecord& record) {
  if (!transactions_.empty() && transactions_.front().tid == record.tid) {
    record.fast_commits = transactions_.front().fast_commits;
    record.reason = transactions_.front().reason;
    record.marked_by = transactions_.front().marked_by;
    transactions_.erase(transactions_.begin());
  }
  cleanup(true, record.tid);
  full_running_ = false;
}

// ext4_fc_cleanup: the main queues are emptied, staging takes their place, and the flag goes when
// the marked transaction is done with.
void FastCommit::cleanup(bool full, Tid tid) {
  for (const FileId file : main_) {
    if (file == kNoFile) continue;
    TrackedInode& inode = inodes_.tracked(file);
    inode.queue = TrackedInode::Queue::none;
    const bool requeued = std::exchange(inode.requeued, false) && !full;
    if (tid >= inode.sync_tid && !requeued) {
      inode.ranges.clear();
    } else if (full || requeued) {  // by the next transaction or meanwhile: it stays queued
      inode.queue = TrackedInode::Queue::staging;
      inode.position = static_cast<std::uint32_t>(staging_.size());
      staging_.push_back(file);
    }
  }
  main_.clear();
  std::swap(main_, staging_);
  for (const FileId file : main_)
    if (file != kNoFile) inodes_.tracked(file).queue = TrackedInode::Queue::main;
  for (const Dentry& dentry : main_dentries_)
    if (dentry.file != kNoFile) inodes_.tracked(dentry.file).has_create_record = false;
  main_dentries_.clear();
  std::swap(main_dentries_, staging_dentries_);
  for (const Dentry& dentry : main_dentries_)
    if (dentry.file != kNoFile) inodes_.tracked(dentry.file).create_in_staging = false;
  if (tid >= ineligible_tid_) {
    ineligible_ = false;
    ineligible_tid_ = 0;
  }
  if (full) head_written_ = false;
}

}  // namespace fcsim::model::fast_commit
