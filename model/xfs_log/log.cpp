#include "model/xfs_log/log.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::model::xfs_log {
namespace {

// Start record, transaction header and commit record of a checkpoint (measured; 52 = 484 of a
// covering write less the superblock's 432).
constexpr std::uint64_t kCheckpointBytes = 52;
// A superblock logged whole: 48 for the range and three pieces of 128 bytes.
constexpr std::uint32_t kSuperblockBytes = 48 + 3 * 128;
// fs/xfs/xfs_log_priv.h: one header sector for each 32 KiB of an iclog.
constexpr std::uint32_t kHeaderBytes = 512;
constexpr std::uint32_t kHeaderCovers = 32768;

constexpr std::uint32_t header_bytes(std::uint32_t iclog_bytes) {
  return (iclog_bytes + kHeaderCovers - 1) / kHeaderCovers * kHeaderBytes;
}

}  // namespace

Log::Log(const Settings& settings, const Clock& clock, BlockDevice& device)
    : settings_(settings),
      clock_(clock),
      device_(device),
      iclog_payload_(settings.iclog_bytes - header_bytes(settings.iclog_bytes)),
      // fs/xfs/xfs_log_priv.h: XLOG_CIL_SPACE_LIMIT
      cil_limit_(std::min<std::uint64_t>(settings.log_bytes / 8, 32ULL << 20)) {
  assert(settings.iclog_bytes >= 16384 && settings.unit_bytes >= 512);
}

void Log::add(Item& item, std::uint32_t bytes) {
  if (item.sequence == current_) {
    cil_bytes_ += bytes;
    cil_bytes_ -= item.bytes;
  } else {
    cil_.push_back(&item);
    cil_bytes_ += bytes;
    item.sequence = current_;
  }
  item.bytes = bytes;
}

void Log::commit(Time now, const Origin& origin) {
  ++counters_.trans_commit;
  if (open_.transactions++ == 0) open_.opened = now;
  if (keep_changes_) open_.changes.push_back(origin);
  if (cil_bytes_ > cil_limit_) push(now, Cause::background, origin, false);
}

Log::Force Log::force(Sequence sequence, Time now, Cause cause, const Origin& origin) {
  assert(sequence <= current_);
  if (sequence <= durable_) return {};
  counters_.log_force += 2;
  const bool writes = sequence == current_ && !cil_.empty();
  if (writes)
    push(now, cause, origin, true);
  else
    send_active();
  ++counters_.log_force_sleep;
  if (cause == Cause::synchronous || cause == Cause::covering) ++counters_.trans_sync;
  return {writes, sequence};
}

Log::Force Log::force_all(Time now, Cause cause, const Origin& origin) {
  counters_.log_force += 2;
  const bool writes = !cil_.empty();
  if (writes)
    push(now, cause, origin, true);
  else
    send_active();
  const Sequence wait_for = submitted() > durable_ ? submitted() : 0;
  if (wait_for != 0 && cause != Cause::log_worker) ++counters_.log_force_sleep;
  return {writes, wait_for};
}

// A checkpoint goes into the active iclog, and on into the next ones when it is full. Only a force
// sends off one that is not full (fs/xfs/xfs_log.c:xlog_write, xlog_state_release_iclog).
void Log::push(Time now, Cause cause, const Origin& origin, bool to_disk) {
  assert(!cil_.empty());
  const Counters before = counters_;
  open_.sequence = current_;
  open_.start = now;
  open_.cause = cause;
  open_.origin = origin;
  open_.bytes = kCheckpointBytes + cil_bytes_;
  open_.items = static_cast<std::uint32_t>(cil_.size());
  std::uint64_t left = open_.bytes;
  bool first = true;
  while (active_iclog_ + left > iclog_payload_) {
    left -= iclog_payload_ - active_iclog_;
    active_iclog_ = 0;
    write_iclog(iclog_payload_, first, false);
    first = false;
  }
  active_iclog_ += left;
  if (to_disk) {
    write_iclog(active_iclog_, true, true);
    active_iclog_ = 0;
  }
  open_.iclogs = static_cast<std::uint32_t>(counters_.iclog_writes - before.iclog_writes);
  open_.blocks = static_cast<std::uint32_t>(counters_.log_blocks - before.log_blocks);
  in_flight_.push_back({current_, covering_, std::move(cil_)});
  writes_.push_back({current_, current_, std::max<std::uint64_t>(open_.blocks, 1), false});
  made_.push_back(std::move(open_));
  cil_.clear();
  cil_bytes_ = 0;
  open_ = {};
  ++current_;
}

// What a push without a force left in the active iclog.
void Log::send_active() {
  if (active_iclog_ == 0) return;
  write_iclog(active_iclog_, true, true);
  active_iclog_ = 0;
}

void Log::write_iclog(std::uint64_t payload, bool preflush, bool fua) {
  ++counters_.iclog_writes;
  ++counters_.iclog_syncs;
  const std::uint64_t bytes = header_bytes(settings_.iclog_bytes) + payload;
  const std::uint64_t unit = settings_.unit_bytes;
  counters_.log_blocks += (bytes + unit - 1) / unit * unit / 512;
  device_.write(preflush, fua);
}

// The items of a checkpoint enter the AIL when it is on disk (fs/xfs/xfs_log_cil.c:
// xlog_cil_committed), and the covering state moves (fs/xfs/xfs_log.c:xlog_covered_state).
void Log::written(Sequence sequence) {
  while (!in_flight_.empty() && in_flight_.front().sequence <= sequence) {
    const InFlight done = std::move(in_flight_.front());
    in_flight_.pop_front();
    for (Item* item : done.items) item->inserted = ++insertions_;
    durable_ = done.sequence;
    writes_.erase(writes_.begin());
    if (push_all_) {
      written_back_ = insertions_;
      push_all_ = false;
    }
    if (done.covering && cover_ == Cover::done)
      cover_ = Cover::need2;
    else if (done.covering && cover_ == Cover::done2)
      cover_ = Cover::idle;
    else
      cover_ = Cover::need;
  }
}

// ---- the log worker -------------------------------------------------------------------------

void Log::mounted(Time at) {
  arm(at);
}

// The interval, rounded up by the timer wheel: 30.72 s for 30 s at 250 ticks a second.
void Log::arm(Time now) {
  const std::int64_t interval = clock_.jiffies_of_centisecs(settings_.worker_interval_centisecs);
  const std::int64_t jiffy = clock_.jiffies(now);
  worker_ = clock_.time_of_jiffy(clock_.wheel(jiffy, jiffy + interval));
}

void Log::happen(Time now) {
  assert(worker_ && *worker_ <= now);
  const Origin kernel;
  const bool covered = cil_.empty() && ail_empty() && in_flight_.empty() &&
                       (cover_ == Cover::need || cover_ == Cover::need2);
  if (covered) {
    cover(now);
  } else {
    // Whoever waits in the AIL and was changed since is found pinned: xfsaild forces the log once
    // more (fs/xfs/xfs_trans_ail.c:xfsaild_push), which then has nothing to write.
    const bool pinned =
        std::any_of(cil_.begin(), cil_.end(), [&](const Item* item) { return in_ail(*item); });
    force_all(now, Cause::log_worker, kernel);
    if (pinned) counters_.log_force += 3;
  }
  if (ail_empty())
    push_all_ = true;
  else
    written_back_ = insertions_;
  arm(now);
}

void Log::cover(Time now) {
  cover_ = cover_ == Cover::need ? Cover::done : Cover::done2;
  reserve();
  add(superblock_, kSuperblockBytes);
  covering_ = true;
  commit(now, {});
  force(current_, now, Cause::covering, {});
  covering_ = false;
}

}  // namespace fcsim::model::xfs_log
