#include "sim/replay/lanes/lane_file_system.h"

#include <algorithm>

namespace fcsim::replay::lanes {

using model::Tid;
using model::Time;
using model::jbd2::JournalEvent;

LaneFileSystem::LaneFileSystem(const model::Configuration& configuration,
                               const model::InitialState& initial,
                               const model::ext4::FileSystem& leader, const CallLog& log,
                               WalkMemory& walks)
    : leader_(leader),
      log_(log),
      walks_(walks),
      configuration_(configuration),
      geometry_(configuration.filesystem, configuration.mount, configuration.kernel),
      clock_(configuration.clock),
      journal_(geometry_, clock_, configuration.kernel, configuration.mount),
      fast_commit_(geometry_, configuration.kernel, journal_, *this) {
  set_parts({&journal_, &fast_commit_, &geometry_, &clock_, &started_io_, &forced_commits_});
  journal_.set_listener(&fast_commit_);
  if (initial.warm) journal_.assume_committed_before();
}

// ---- calls ----------------------------------------------------------------------------------

const LoggedCall& LaneFileSystem::next(LoggedCall::Kind kind, FileId file, Time now,
                                       std::uint64_t a, std::uint64_t b) {
  if (at_end()) throw LaneDiverged{Divergence::ahead};
  const LoggedCall& call = log_.calls[call_];
  if (call.kind != kind || call.file != file || call.a != a || call.b != b)
    throw LaneDiverged{Divergence::other_call};
  if (call.now != now) throw LaneDiverged{Divergence::other_time};
  ++call_;
  const std::vector<JournalEvent>& events = log_.journal.events();
  for (; event_ < call.events_end; ++event_) play(events[event_], now);
  any_dirty_ = call.any_dirty;
  return call;
}

void LaneFileSystem::apply(const model::Operation& operation, Time now) {
  const LoggedCall& call = next(LoggedCall::Kind::apply, operation.file, now, operation.line,
                                static_cast<std::uint64_t>(operation.kind));
  synchronous_ = call.synchronous;
  for (std::size_t i = call.files_begin; i < call.files_end; ++i)
    started_io_.push_back(log_.files[i]);
}

bool LaneFileSystem::start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                                     const Origin&) {
  const LoggedCall& call = next(LoggedCall::Kind::start_writeback, file, now, first, end);
  written_ = file;
  bytes_written_ = call.bytes;
  return call.result;
}

std::uint64_t LaneFileSystem::bytes_in_flight(FileId file) const {
  if (file == written_) return bytes_written_;
  need_end();
  return leader_.bytes_in_flight(file);
}

// The leader writes down only a list that is not empty.
std::vector<model::FileId> LaneFileSystem::dirty_files(Time before) {
  const auto a = static_cast<std::uint64_t>(before);
  if (!at_end() && log_.calls[call_].kind == LoggedCall::Kind::dirty_files &&
      log_.calls[call_].a == a) {
    const LoggedCall& call = next(LoggedCall::Kind::dirty_files, model::kNoFile, 0, a, 0);
    return {log_.files.begin() + static_cast<std::ptrdiff_t>(call.files_begin),
            log_.files.begin() + static_cast<std::ptrdiff_t>(call.files_end)};
  }
  need_end();
  if (!leader_.dirty_files(before).empty()) throw LaneDiverged{Divergence::ahead};
  return {};
}

// The leader may have begun to write them.
bool LaneFileSystem::has_pending(FileId file) const {
  need_no_apply();
  for (std::size_t i = call_; i < log_.calls.size(); ++i)
    if (log_.calls[i].kind == LoggedCall::Kind::start_writeback && log_.calls[i].file == file)
      return log_.calls[i].pending;
  need_end();
  return leader_.known(file) && !leader_.inode(file).pending.empty();
}

// Tracking alone moves the sync tid only where the transaction was not ineligible.
Tid LaneFileSystem::sync_tid(FileId file, bool datasync) {
  need_end();
  const model::ext4::Inode& inode = leader_.inode(file);
  if (datasync) return tid_of(inode.datasync_tid);
  const Tid surely = tid_of(inode.tracked.sync_tid);
  const Tid perhaps = tid_of(std::max(inode.tracked.sync_tid, inode.tracked.recorded_tid));
  if (surely == perhaps) return surely;
  const model::fast_commit::TrackedInode* known = inodes_.find(file);
  if (known == nullptr) throw LaneDiverged{Divergence::sync_tid};
  return known->sync_tid;
}

// ---- events ---------------------------------------------------------------------------------

void LaneFileSystem::play(const JournalEvent& event, Time now) {
  using Kind = JournalEvent::Kind;
  switch (event.kind) {
    case Kind::start_handle:
      begin_handle(event.a, event.b, now);
      break;
    case Kind::stop_handle:
      end_handle(event.small != 0, now);
      break;
    case Kind::dirty:
      note_dirty(event.a);
      break;
    case Kind::forget: {
      model::jbd2::MetadataBlock block{tid_of(event.a)};
      journal_.forget(block);
      break;
    }
    case Kind::reserve:
      journal_.reserve_credits(event.a);
      break;
    case Kind::release:
      journal_.release_credits(event.a);
      break;
    case Kind::reservation:
      if (journal_.reservations_full(event.a)) throw LaneDiverged{Divergence::reservations};
      break;
    case Kind::commit_now:
      journal_.commit_now(now, static_cast<model::Cause>(event.small), {});
      note_forced_commits();
      break;
    case Kind::touch_inode:
      if (model::fast_commit::TrackedInode* inode = inodes_.find(event.a))
        inode->sync_tid = journal_.running()->tid;
      break;
    case Kind::read_inode:
      if (model::fast_commit::TrackedInode* inode = inodes_.find(event.a))
        inode->sync_tid = journal_.newest_tid();
      break;
    case Kind::track_inode:
    case Kind::track_range:
    case Kind::track_dentry:
    case Kind::forget_inode:
      play_tracking(event, fast_commit_, inodes_);
      break;
    case Kind::leave_memory:
      if (inodes_.find(event.a) != nullptr) fast_commit_.leave_memory(event.a, {});
      break;
    case Kind::mark:
      fast_commit_.mark(static_cast<model::fast_commit::Reason>(event.small), event.count, {});
      break;
    case Kind::mark_once:
      fast_commit_.mark_once(static_cast<model::fast_commit::Reason>(event.small), {});
      break;
    case Kind::allocate:
      check_freed(event.a, event.b);
      break;
    case Kind::beyond:
      throw LaneDiverged{Divergence::beyond};
  }
}

void LaneFileSystem::begin_handle(std::uint32_t credits, Tid stamp, Time now) {
  journal_.start_handle(now, credits, {});
  const Tid tid = journal_.running()->tid;
  if (tid == newest_tid_) return;
  newest_tid_ = tid;
  constexpr std::size_t many = 256;
  if (begins_.size() >= many && journal_.oldest_remembered() > first_tid_ + begins_.size() / 2) {
    const std::size_t old = journal_.oldest_remembered() - first_tid_;
    begins_.erase(begins_.begin(),
                  begins_.begin() + static_cast<std::ptrdiff_t>(std::min(old, begins_.size())));
    first_tid_ = tid - static_cast<Tid>(begins_.size());
  }
  begins_.push_back(stamp);
}

void LaneFileSystem::end_handle(bool synchronous, Time now) {
  const Tid tid = journal_.running()->tid;
  journal_.stop_handle(now, {}, synchronous);
  if (synchronous) wait_ = tid;
  note_forced_commits();
}

void LaneFileSystem::note_forced_commits() {
  while (const std::optional<model::FullCommitRecord> record = journal_.take_forced())
    forced_commits_.push_back(*record);
  forced_any_ = forced_any_ || !forced_commits_.empty();
}

void LaneFileSystem::note_dirty(Tid before) {
  if (before >= begins_.back()) return;  // is in the running transaction already
  dirty_block(before);
}

// Blocks that the leader holds back must not be free here, nor the other way round.
void LaneFileSystem::check_freed(Tid reclaimed, Tid waiting) const {
  if (reclaimed != 0 && tid_of(reclaimed) > journal_.committed_tid())
    throw LaneDiverged{Divergence::freed_blocks};
  if (waiting != model::jbd2::JournalLog::kNoStamp && tid_of(waiting) <= journal_.committed_tid())
    throw LaneDiverged{Divergence::freed_blocks};
}

Tid LaneFileSystem::open_since() const {
  const Tid oldest = journal_.committed_tid() + 1;
  if (oldest < first_tid_ || oldest - first_tid_ >= begins_.size())
    return model::jbd2::JournalLog::kNoStamp;
  return begins_[oldest - first_tid_];
}

// The transaction that ran when the handle of that number did.
Tid LaneFileSystem::tid_of(Tid stamp) const {
  if (stamp == 0) return 0;
  if (begins_.empty() || stamp < begins_.front()) return first_tid_ - 1;
  if (stamp >= begins_.back()) return first_tid_ + static_cast<Tid>(begins_.size()) - 1;
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), stamp);
  return first_tid_ + static_cast<Tid>(after - begins_.begin()) - 1;
}

// ---- what a fast commit reads of inodes -----------------------------------------------------

std::uint32_t LaneFileSystem::raw_inode_bytes(FileId file) const {
  need_end();
  return leader_.raw_inode_bytes(file);
}

model::fast_commit::RangeWalk LaneFileSystem::walk_ranges(
    FileId file, model::fast_commit::RangeRecords& records) const {
  need_end();
  const model::fast_commit::range_tracking::TrackedRanges& ranges = inodes_.get(file).ranges;
  const model::SnapshotRules& snapshot = configuration_.kernel.snapshot;
  const std::size_t taken = snapshot.enabled ? records.size() : 0;
  const WalkMemory::Walk* known =
      walks_.find(log_.calls.size(), file, snapshot.max_ranges, taken, ranges);
  if (known != nullptr) {
    records.insert(records.end(), known->records.begin(), known->records.end());
    return known->result;
  }
  const std::size_t before = records.size();
  const model::fast_commit::RangeWalk result = leader_.walk_ranges(file, ranges, snapshot, records);
  if (WalkMemory::Walk* walk = walks_.add()) {
    walk->file = file;
    walk->limit = snapshot.max_ranges;
    walk->taken = taken;
    walk->ranges = ranges;
    walk->records.assign(records.begin() + static_cast<std::ptrdiff_t>(before), records.end());
    walk->result = result;
  }
  return result;
}

}  // namespace fcsim::replay::lanes
