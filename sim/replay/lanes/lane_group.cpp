#include "sim/replay/lanes/lane_group.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::replay::lanes {
namespace {

// After so many calls, and again and again, it is asked whether lanes pay.
constexpr std::uint64_t kTrialCalls = 1024;
constexpr std::size_t kLongLog = std::size_t{1} << 16;

// Looks at its file before and behind its calls, so that no lane can replay it later.
bool looks_back(const model::Operation& operation) {
  return operation.kind == model::OperationKind::sync_file_range;
}

}  // namespace

using model::Tid;
using model::Time;

LaneGroup::LaneGroup(const std::vector<const model::Configuration*>& configurations,
                     const model::InitialState& initial, const engine::EngineOptions& options) {
  assert(options.placement == engine::Placement::recorded && !options.keep_commits);
  auto leader_fs = std::make_unique<RecordedFileSystem>(
      *configurations.front(), initial, log_, static_cast<LeaderWatcher&>(*this),
      static_cast<model::jbd2::FreedBlocksVote&>(*this));
  leader_fs_ = leader_fs.get();
  leader_ = std::make_unique<engine::EngineCore>(*configurations.front(), initial, options,
                                                 std::move(leader_fs));
  lanes_.reserve(configurations.size());
  for (const model::Configuration* configuration : configurations) {
    Lane& lane = lanes_.emplace_back();
    auto fs = std::make_unique<LaneFileSystem>(*configuration, initial, leader_fs_->model(), log_,
                                               walks_);
    lane.fs = fs.get();
    lane.engine =
        std::make_unique<engine::EngineCore>(*configuration, initial, options, std::move(fs));
    const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const auto& queue) {
      return queue->serves(configuration->kernel);
    });
    queue_of_.push_back(static_cast<std::uint32_t>(found - queues_.begin()));
    if (found == queues_.end())
      queues_.push_back(std::make_unique<SharedQueue>(*configuration, leader_fs_->model()));
    awake_.push_back(static_cast<std::uint32_t>(lanes_.size() - 1));
  }
  drafts_.resize(queues_.size());
  statistics_.lanes = lanes_.size();
  find_unequal_journals(configurations);
  check_allocator();
}

LaneGroup::~LaneGroup() = default;

void LaneGroup::find_unequal_journals(
    const std::vector<const model::Configuration*>& configurations) {
  const model::FilesystemSettings& first = configurations.front()->filesystem;
  const auto laid_out = [&](const model::FilesystemSettings& fs) {
    return model::ext4::allocation::BlockAllocator(leader_fs_->geometry(), fs,
                                                   configurations.front()->clock.smp);
  };
  const model::ext4::allocation::BlockAllocator layout = laid_out(first);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < configurations.size(); ++i) {
    const model::FilesystemSettings& other = configurations[i]->filesystem;
    if (other.journal_blocks == first.journal_blocks) continue;
    unequal_.push_back(i);
    if (std::find(sizes.begin(), sizes.end(), other.journal_blocks) != sizes.end()) continue;
    sizes.push_back(other.journal_blocks);
    for (const std::uint32_t group : layout.groups_unlike(laid_out(other)))
      if (std::find(unequal_groups_.begin(), unequal_groups_.end(), group) == unequal_groups_.end())
        unequal_groups_.push_back(group);
  }
}

// Whether the leader's allocator has looked where the journals are not the same, or has counted
// free blocks that lanes count otherwise.
void LaneGroup::check_allocator() {
  const model::ext4::allocation::BlockAllocator& blocks = leader_fs_->model().blocks();
  const bool counted = blocks.counted() != counted_;
  counted_ = blocks.counted();
  if (!unequal_.empty() &&
      (counted || std::any_of(unequal_groups_.begin(), unequal_groups_.end(),
                              [&](std::uint32_t group) { return blocks.looked_at(group); }))) {
    for (const std::uint32_t lane : unequal_)
      if (lanes_[lane].engine != nullptr) let_out(lane, Divergence::unequal_journals);
    unequal_.clear();
  }
  if (counted)
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (lanes_[lane].engine != nullptr &&
          (leader_fs_->model().counts_unequal() || lanes_[lane].fs->forced_any()))
        let_out(lane, Divergence::freed_blocks);
  if (!lost_any_) return;
  std::erase_if(quiet_, [&](const Quiet& quiet) { return lanes_[quiet.lane].engine == nullptr; });
  drop_lost();
}

// ---- going along ----------------------------------------------------------------------------

void LaneGroup::replay(const model::Operation& operation) {
  if (looks_back(operation)) wake_all();
  operations_.push_back(operation);
  leader_->replay(operation);
  beginning_ = false;
  check_allocator();
  wake_for_commits();
  deliver_all(begun_);
  turns_ += awake_.size() + quiet_.size();
  awake_turns_ += awake_.size();
  if (++calls_seen_ % kTrialCalls == 0) give_up_if_useless();
}

void LaneGroup::give_up_if_useless() {
  if (awake_turns_ * 4 < turns_ * 3) return;
  wake_all();
  for (const std::uint32_t lane : awake_)
    if (lanes_[lane].engine != nullptr) let_out(lane, Divergence::mostly_awake);
  drop_lost();
}

std::vector<std::optional<engine::Prediction>> LaneGroup::finish(Time end) {
  const engine::Prediction all = leader_->finish(end);
  check_allocator();
  wake_all();
  deliver_all(begun_);
  std::vector<std::optional<engine::Prediction>> results(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    guard(i, [&] {
      engine::EngineCore& engine = *lanes_[i].engine;
      results[i] = engine.finish(end);
      if (!lanes_[i].fs->at_end() || engine.anything_left() || leader_->anything_left())
        throw LaneDiverged{Divergence::behind};
      results[i]->operations = all.operations;
      results[i]->sync_calls = all.sync_calls;
      results[i]->directory_fsyncs = all.directory_fsyncs;
    });
    if (lanes_[i].engine == nullptr) results[i].reset();
  }
  return results;
}

template <class Step>
void LaneGroup::guard(std::size_t lane, const Step& step) {
  if (lanes_[lane].engine == nullptr) return;
  try {
    step();
  } catch (const LaneDiverged& diverged) {
    let_out(lane, diverged.why);
  }
}

void LaneGroup::let_out(std::size_t lane, Divergence why) {
  ++statistics_.diverged[static_cast<std::size_t>(why)];
  lanes_[lane].engine.reset();
  lost_any_ = true;
}

void LaneGroup::drop_lost() {
  if (!lost_any_) return;
  lost_any_ = false;
  std::erase_if(awake_, [&](std::uint32_t lane) { return lanes_[lane].engine == nullptr; });
}

void LaneGroup::run_awake_until(Time until) {
  for (const std::uint32_t lane : awake_)
    guard(lane, [&] { lanes_[lane].engine->run_until(until); });
  drop_lost();
}

// The operations before `end`, as far as the lane has not had them.
void LaneGroup::deliver(std::size_t index, std::size_t end) {
  guard(index, [&] {
    Lane& lane = lanes_[index];
    while (lane.operations_done < end) lane.engine->replay(operations_[lane.operations_done++]);
  });
}

void LaneGroup::deliver_all(std::size_t end) {
  for (const std::uint32_t lane : awake_) deliver(lane, end);
  drop_lost();
}

// ---- what the leader is about to do ---------------------------------------------------------

void LaneGroup::before_call(Time now) {
  if (!quiet_.empty()) {
    if (asked_) wake_all();  // a call comes between a sync call's attempt and its end
    wake_for_commits();
  }
  if (!awake_.empty()) run_awake_until(now - 1);
}

void LaneGroup::before_operation(Time now) {
  if (!quiet_.empty()) {
    if (asked_ && !leader_fs_->fast_commit().writing()) wake_all();
    wake_for_commits();
  }
  if (log_.journal.events().size() > kLongLog || operations_.size() > kLongLog) shorten_log();
  run_awake_until(now);
  if (quiet_.empty()) begin_interval();
  if (is_fresh()) {
    tidy_up();
    if (leader_->quiet() && !looks_back(operations_.back())) put_to_rest();
  }
  begun_ = operations_.size();
  beginning_ = true;
}

// A log that grows is kept for a lane that stays behind, or for quiet ones where nobody syncs.
void LaneGroup::shorten_log() {
  for (const std::uint32_t lane : awake_)
    if (!lanes_[lane].fs->at_end()) let_out(lane, Divergence::behind);
  drop_lost();
  wake_all();
}

void LaneGroup::before_attempt(Tid stamp) {
  if (asked_ && !quiet_.empty()) wake_all();
  asked_ = true;
  stamp_ = stamp;
  deliver_all(begun_);
  run_awake_until(leader_->now());
}

void LaneGroup::before_flusher(Time now) {
  wake_all();
  run_awake_until(now - 1);
}

// Of two numbers with as many lanes the smaller one is likely. A quiet lane whose transaction has
// grown old meanwhile may have committed it.
model::jbd2::FreedBlocksVote::Result LaneGroup::on_disk(const std::vector<Tid>& waiting) {
  std::vector<std::size_t> votes(waiting.size() + 1, 0);
  const auto vote = [&](Tid open_since) {
    const auto end = std::lower_bound(waiting.begin(), waiting.end(), open_since);
    ++votes[static_cast<std::size_t>(end - waiting.begin())];
  };
  Result result;
  for (const Quiet& quiet : quiet_) {
    vote(quiet.since);
    result.unanimous = result.unanimous && quiet.old_at > leader_->now();
  }
  for (const std::uint32_t lane : awake_)
    if (lanes_[lane].engine != nullptr) vote(lanes_[lane].fs->open_since());
  while (result.least < waiting.size() && votes[result.least] == 0) ++result.least;
  result.likely =
      static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  result.unanimous = result.unanimous && votes[result.least] == quiet_.size() + awake_.size();
  return result;
}

std::uint64_t LaneGroup::leader_commits() const {
  const model::jbd2::Journal& journal = leader_fs_->journal();
  return journal.totals().transactions + (journal.committing() != nullptr ? 1 : 0);
}

void LaneGroup::wake_for_commits() {
  const std::uint64_t commits = leader_commits();
  if (commits == commits_) return;
  commits_ = commits;
  wake_all();
}

// ---- quiet lanes ----------------------------------------------------------------------------

void LaneGroup::wake(Quiet& quiet) {
  ++statistics_.awakened;
  note_timed(quiet);
  Lane& lane = lanes_[quiet.lane];
  LaneFileSystem& fs = *lane.fs;
  fs.journal().add_passed_over(quiet.handles, quiet.passed.commits);
  fs.fast_commit().add_passed_over(quiet.passed);
  fs.stand_at(call_, event_, any_dirty_);
  lane.engine->pass_over(now_, flusher_);
  lane.operations_done = operation_;
  awake_.push_back(quiet.lane);
  deliver(quiet.lane, complete());
}

void LaneGroup::wake_all() {
  for (Quiet& quiet : quiet_) wake(quiet);
  quiet_.clear();
  drop_lost();
}

// Nothing but this sync call is under way, and what it found when it asked is still there.
bool LaneGroup::simple_sync() const {
  return asked_ && log_.journal.summary().plain && leader_->waiting(1) && !leader_->io_under_way();
}

void LaneGroup::draft_all() {
  const std::vector<model::jbd2::JournalEvent>& events = log_.journal.events();
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    queues_[q]->clear();
    for (std::size_t i = event_; i < events.size(); ++i) queues_[q]->play(events[i]);
    drafts_[q] = queues_[q]->draft();
  }
}

void LaneGroup::before_fast_commit_ends(Time now) {
  if (quiet_.empty()) {
    asked_ = false;
    return;
  }
  if (!simple_sync()) {
    wake_all();
    run_awake_until(now - 1);
    return;
  }
  draft_all();
  std::size_t kept = 0;
  // What a handle is charged beyond its own credits is the same for all.
  const model::jbd2::JournalLog::Summary& all = log_.journal.summary();
  const std::int64_t credits =
      std::int64_t{all.reserved} + leader_fs_->journal().charged(all.credits);
  for (std::size_t i = 0; i < quiet_.size(); ++i) {
    if (!pass_over(quiet_[i], now, credits)) {
      wake(quiet_[i]);
      continue;
    }
    if (kept != i) quiet_[kept] = quiet_[i];
    ++kept;
  }
  statistics_.passed_over += kept;
  quiet_.resize(kept);
  keep_timed(leader_->timed_commit());
  drop_lost();
  run_awake_until(now - 1);
  now_ = now;
  begin_interval();
}

// Whether the lane did nothing in the interval but what all do; its sums are then added.
bool LaneGroup::pass_over(Quiet& quiet, Time end, std::int64_t credits) {
  const model::jbd2::JournalLog::Summary& all = log_.journal.summary();
  const model::fast_commit::FastCommit::Draft& draft = drafts_[quiet.queue];
  std::int64_t joining = 0;
  if (all.oldest_block < quiet.since)
    for (const Tid before : all.blocks) joining += before < quiet.since ? 1 : 0;
  if (quiet.old_at <= end || credits + joining > quiet.headroom || credits > quiet.half ||
      all.reclaimed >= quiet.since || all.waiting < quiet.since || !draft.possible)
    return false;
  const std::uint32_t blocks = quiet.head_written ? draft.blocks : draft.blocks_with_head;
  const bool skips = stamp_ < quiet.since;
  if (skips ? !draft.empty : quiet.used + blocks > quiet.usable) return false;
  if (joining != 0) {
    quiet.headroom -= joining;
    LaneFileSystem& fs = *lanes_[quiet.lane].fs;
    for (const Tid before : all.blocks)
      if (before < quiet.since) fs.dirty_block(before);
  }
  quiet.handles += all.handles;
  if (skips) {
    note_timed(quiet);
    if (leader_->timed_commit()) ++quiet.timed;  // the lane makes none
    ++quiet.passed.skipped;
    return true;
  }
  quiet.head_written = true;
  quiet.used += blocks;
  ++quiet.passed.commits;
  quiet.passed.blocks += blocks;
  quiet.passed.snapshot_inodes += draft.snapshot_inodes;
  quiet.passed.snapshot_ranges += draft.snapshot_ranges;
  quiet.passed.memory.add(draft.memory);
  return true;
}

void LaneGroup::note_timed(Quiet& quiet) {
  if (quiet.timed >= timed_.size()) return;
  lanes_[quiet.lane].engine->note_commits(std::span(timed_).subspan(quiet.timed));
  quiet.timed = timed_.size();
}

// The fast commit that all quiet lanes have just made with the leader.
void LaneGroup::keep_timed(const std::optional<Time>& timed) {
  if (timed_.size() >= kLongLog)
    for (Quiet& quiet : quiet_) note_timed(quiet);
  if (timed_.size() >= kLongLog || quiet_.empty()) {
    for (Quiet& quiet : quiet_) quiet.timed -= timed_.size();
    timed_.clear();
  }
  if (timed && !quiet_.empty()) timed_.push_back(*timed);
}

// From here on quiet lanes wait for the next sync call.
void LaneGroup::begin_interval() {
  call_ = log_.calls.size();
  event_ = log_.journal.events().size();
  operation_ = begun_;
  now_ = leader_->now();
  flusher_ = leader_->flusher();
  any_dirty_ = leader_fs_->any_dirty();
  asked_ = false;
  log_.journal.begin_summary(leader_fs_->journal().next_stamp());
}

bool LaneGroup::is_fresh() const {
  return call_ == log_.calls.size() && operation_ == begun_ && !asked_;
}

// What all lanes have replayed is not needed any more.
void LaneGroup::tidy_up() {
  for (const std::uint32_t lane : awake_)
    if (!lanes_[lane].fs->at_end() || lanes_[lane].operations_done != begun_) return;
  log_.clear();
  walks_.forget_all();
  operations_.erase(operations_.begin(), operations_.begin() + static_cast<std::ptrdiff_t>(begun_));
  for (const std::uint32_t index : awake_) {
    Lane& lane = lanes_[index];
    lane.operations_done = 0;
    lane.fs->stand_at(0, 0, lane.fs->any_dirty());
  }
  begun_ = call_ = event_ = operation_ = 0;
}

void LaneGroup::put_to_rest() {
  std::size_t kept = 0;
  for (const std::uint32_t index : awake_) {
    Lane& lane = lanes_[index];
    if (!rests(lane)) {
      awake_[kept++] = index;
      continue;
    }
    LaneFileSystem& fs = *lane.fs;
    fs.tracked_inodes().clear();
    Quiet quiet;
    quiet.lane = index;
    quiet.queue = queue_of_[index];
    quiet.since = fs.running_since();
    quiet.head_written = fs.fast_commit().head_written();
    quiet.usable = fs.geometry().fast_commit_usable_blocks;
    quiet.used = fs.fast_commit().used_blocks();
    quiet.old_at = fs.journal().old_at();
    quiet.headroom = fs.journal().headroom();
    quiet.half = fs.geometry().max_transaction_blocks / 2;
    quiet.timed = timed_.size();
    quiet_.push_back(quiet);
  }
  awake_.resize(kept);
}

// Nothing but its sums distinguishes the lane from others.
bool LaneGroup::rests(Lane& lane) {
  engine::EngineCore& engine = *lane.engine;
  LaneFileSystem& fs = *lane.fs;
  return engine.quiet() && !engine.anything_left() && fs.at_end() &&
         lane.operations_done == begun_ && engine.flusher() == leader_->flusher() &&
         (engine.flusher() || !engine.buffers_dirty()) && fs.committed_any() &&
         fs.journal().running() != nullptr && fs.journal().quiet() && fs.fast_commit().quiet() &&
         !fs.tracked_inodes().any_ranges();
}

}  // namespace fcsim::replay::lanes
