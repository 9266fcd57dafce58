#include "model/jbd2/journal.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::model::jbd2 {
namespace {

// Blocks that jbd2_log_space_left keeps back (include/linux/jbd2.h).
constexpr std::int64_t kLogReserve = 32;

// From the end of the handle that wakes kjournald until the transaction is locked. Half of 732
// timed commits (block log, 6.18.44) begin by 98 us after strace's stamp of a write call, of which
// the call itself and strace's stops take a half. It is shorter than any I/O: the conversion of
// blocks whose writing the same call or flusher pass began is part of the next transaction
// (recordings commit1, wb-ab-40s).
constexpr Time kWakeNs = 50'000;

std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

Journal::Journal(const Geometry& geometry, const Clock& clock, const KernelRules& kernel,
                 const MountSettings& mount)
    : geometry_(geometry),
      clock_(clock),
      kernel_(kernel),
      log_free_(std::int64_t{geometry.log_blocks} - 1) {
  remount(mount);
  durable_sequence_ = next_tid_ - 1;
}

// commit=0 stands for the default of 5 s (fs/ext4/super.c).
void Journal::remount(const MountSettings& mount) {
  constexpr std::int64_t default_s = 5;
  const std::int64_t seconds = mount.commit_interval_s;
  interval_jiffies_ = clock_.jiffies_of_seconds(seconds == 0 ? default_s : seconds);
}

// Unmount and mount take a tid each: 6004 is followed by 6007 (measured on 6.12 and 6.18).
void Journal::mount_again(const MountSettings& mount) {
  assert(!running_ && !committing_ && open_handles_ == 0);
  remount(mount);
  next_tid_ += 2;
  durable_sequence_ = next_tid_ - 1;
  committed_any_ = false;
  pending_ = held_ = false;
  woken_.reset();
  checkpoints_.clear();
  rejoined_tids_.clear();
  log_free_ = std::int64_t{geometry_.log_blocks} - 1;
  totals_ = {};
}

void Journal::start_transaction(Time now) {
  assert(!running_);
  Transaction& t = running_.emplace();
  t.tid = running_sequence_ = next_tid_++;
  t.start = now;
  const std::int64_t jiffy = clock_.jiffies(now);
  const std::int64_t expires = jiffy + interval_jiffies_;
  t.expires = clock_.time_of_jiffy(expires);
  t.timer = clock_.time_of_jiffy(clock_.wheel(jiffy, clock_.round_up_second(expires)));
}

void Journal::begin(Time now, std::uint32_t credits, const Origin& origin) {
  if (open_handles_ != 0) {  // nested: joins the outer handle
    ++open_handles_;
    return;
  }
  ensure_room(now, charged(credits), origin);
  if (!running_) start_transaction(now);
  ++running_->handles;
  ++open_handles_;
}

std::uint32_t Journal::charged(std::uint32_t credits) const {
  return credits + divide_up(kernel_.jbd2.default_revoke_credits, geometry_.revokes_per_block);
}

std::int64_t Journal::headroom() const {
  const std::uint32_t overhead =
      kernel_.jbd2.limit_less_overhead ? geometry_.transaction_overhead_blocks : 0;
  return std::int64_t{geometry_.max_transaction_blocks} - overhead - running_->blocks -
         running_->reserved_credits;
}

// add_transaction_credits: the running transaction closes when the newcomer's credits do not fit.
void Journal::ensure_room(Time now, std::uint32_t credits, const Origin& origin) {
  if (running_ && credits > headroom() && running_->blocks != 0)
    close_for(now, Cause::transaction_full, origin);
  ensure_log_space(now, origin);
}

std::int64_t Journal::log_left() const {
  const std::int64_t outstanding = committing_ ? std::int64_t{committing_->blocks} : 0;
  return log_free_ - kLogReserve - outstanding;
}

// __jbd2_log_wait_for_space: oldest transactions are written home until the largest transaction
// fits; a block that the running transaction has dirtied again forces that one out first.
void Journal::ensure_log_space(Time now, const Origin& origin) {
  while (log_left() < log_wanted()) {
    drop_finished_checkpoints();
    if (log_left() >= log_wanted() || checkpoints_.empty()) break;
    Checkpoint& oldest = checkpoints_.front();
    if (oldest.rejoined != 0 && running_) {
      close_for(now, Cause::log_space, origin);
      if (committing_) finish_commit(now);
      continue;
    }
    oldest.live = 0;
  }
  if (log_left() < log_wanted() && committing_) finish_commit(now);
}

// The starter of a handle waits until the running transaction is locked; a commit going on must
// end before.
void Journal::close_for(Time now, Cause cause, const Origin& origin) {
  if (committing_) finish_commit(now);
  if (!running_) return;
  const bool held = std::exchange(held_, false);
  force(now, cause, origin);
  held_ = held;
  assert(!running_);
}

void Journal::end(Time now, const Origin& origin, bool synchronous) {
  assert(open_handles_ != 0 && running_);
  if (--open_handles_ != 0) return;
  if (synchronous)
    force(now, Cause::synchronous_handle, origin);
  else if (now >= running_->expires && !pending_)
    wake(now, origin);
}

// The rest of the call joins the transaction: kjournald runs a moment later.
void Journal::wake(Time now, const Origin& origin) {
  running_->requested = true;
  running_->cause = Cause::expired;
  running_->origin = origin;
  pending_ = true;
  woken_ = now + kWakeNs;
}

void Journal::log(LogItem& block) {
  assert(running_);
  if (block.logged_in == running_->tid) return;
  if (block.logged_in != 0) leave_checkpoint(block.logged_in);
  block.logged_in = running_->tid;
  ++running_->blocks;
  for (JournalObserver* observer : item_observers_) observer->on_logged(block, running_sequence_);
}

// A block of an older transaction joins the running one: it leaves the old checkpoint list when the
// running one commits (fs/jbd2/transaction.c:__jbd2_journal_file_buffer and commit.c).
void Journal::leave_checkpoint(Tid tid) {
  if (committing_ && committing_->tid == tid) {
    ++committing_->rejoined;
  } else if (Checkpoint* old = checkpoint_of(tid)) {
    if (old->rejoined++ == 0) rejoined_tids_.push_back(tid);
  }
}

void Journal::forget(LogItem& block) {
  assert(running_);
  if (block.logged_in == running_->tid) {
    assert(running_->blocks != 0);
    --running_->blocks;
  } else if (Checkpoint* old = checkpoint_of(block.logged_in)) {
    old->live -= std::min(old->live, 1U);
  }
  block.logged_in = 0;
  ++running_->revokes;
}

void Journal::reserve(std::uint32_t credits) {
  if (running_) running_->reserved_credits += credits;
}

void Journal::release(std::uint32_t credits) {
  if (running_) running_->reserved_credits -= std::min(credits, running_->reserved_credits);
}

void Journal::force(Time now, Cause cause, const Origin& origin) {
  if (!running_) return;
  if (!pending_) {
    running_->requested = true;
    running_->cause = cause;
    running_->origin = origin;
    pending_ = true;
  }
  begin_pending(now);
}

void Journal::force_now(Time now, Cause cause, const Origin& origin) {
  close_for(now, cause, origin);
  if (committing_) finish_commit(now);
}

void Journal::happen(Time now) {
  if (woken_) {
    woken_.reset();
    begin_pending(now);
    return;
  }
  if (!running_ || pending_) return;
  running_->requested = false;
  running_->cause = Cause::timer;
  running_->origin = {};
  pending_ = true;
  begin_pending(now);
}

void Journal::begin_pending(Time now) {
  if (!pending_ || committing_ || open_handles_ != 0) return;
  if (held_)  // fast commits must keep out from now on
    for (JournalObserver* observer : observers_) observer->on_closed();
  else
    begin_commit(now);
}

void Journal::hold(Time now, bool held) {
  held_ = held;
  if (!held) begin_pending(now);
}

void Journal::begin_commit(Time now) {
  assert(running_ && !committing_);
  pending_ = false;
  woken_.reset();
  committing_ = running_;
  running_.reset();
  committing_sequence_ = std::exchange(running_sequence_, 0);
  committing_since_ = now;
  for (JournalObserver* observer : observers_) observer->on_closed();
}

// Descriptors and revoke blocks depend on what follows; a commit is two blocks at least: the
// descriptor and the commit record.
std::optional<LogWrite> Journal::writing() const {
  if (!committing_) return std::nullopt;
  return LogWrite{committing_->tid, committing_->tid, committing_->blocks + std::uint64_t{2},
                  false};
}

std::uint32_t Journal::log_blocks_of(const Transaction& t) const {
  return t.blocks + divide_up(t.blocks, geometry_.tags_per_descriptor) +
         divide_up(t.revokes, geometry_.revokes_per_block) + 1;
}

void Journal::finish_commit(Time now) {
  assert(committing_);
  const Transaction t = *std::exchange(committing_, std::nullopt);
  FullCommitRecord record;
  record.opened = t.start;
  record.start = committing_since_;
  record.end = now;
  record.tid = t.tid;
  record.cause = t.cause;
  record.requested = t.requested;
  record.blocks = t.blocks;
  record.blocks_logged = log_blocks_of(t);
  record.handles = t.handles;
  record.origin = t.origin;

  durable_sequence_ = t.tid;
  committing_sequence_ = 0;
  committed_any_ = true;
  ++totals_.transactions;
  totals_.requested += t.requested ? 1 : 0;
  totals_.blocks += record.blocks;
  totals_.blocks_logged += record.blocks_logged;
  totals_.handles += record.handles;
  log_free_ -= record.blocks_logged;
  for (const Tid tid : rejoined_tids_) {
    if (Checkpoint* old = checkpoint_of(tid)) {
      old->live -= std::min(old->live, old->rejoined);
      old->rejoined = 0;
    }
  }
  rejoined_tids_.clear();
  checkpoints_.push_back({t.tid, record.blocks_logged, t.blocks, t.rejoined});
  if (t.rejoined != 0) rejoined_tids_.push_back(t.tid);
  drop_finished_checkpoints();
  for (JournalObserver* observer : observers_) observer->on_commit(record);
  begin_pending(now);
}

Journal::Checkpoint* Journal::checkpoint_of(Tid tid) {
  if (tid == 0 || checkpoints_.empty() || tid < checkpoints_.front().tid) return nullptr;
  const std::size_t index = tid - checkpoints_.front().tid;
  assert(index >= checkpoints_.size() || checkpoints_[index].tid == tid);
  return index < checkpoints_.size() ? &checkpoints_[index] : nullptr;
}

void Journal::drop_finished_checkpoints() {
  while (!checkpoints_.empty() && checkpoints_.front().live == 0) {
    log_free_ += checkpoints_.front().log_blocks;
    checkpoints_.pop_front();
  }
}

void Journal::checkpoint_all() {
  for (Checkpoint& c : checkpoints_) c.live = 0;
  drop_finished_checkpoints();
}

}  // namespace fcsim::model::jbd2
