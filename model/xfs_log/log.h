// The XFS log: transactions go into the committed item list (CIL) in memory; a log force makes one
// checkpoint of the whole list and writes it through the in-core log buffers (iclogs).
//
// Nothing here waits. A force names the sequence that must be durable; whoever places things in
// time says when the write of a checkpoint ended.
//
// Sources: fs/xfs/xfs_log_cil.c and fs/xfs/xfs_log.c of 6.12 and 6.18; the sizes were measured
// (xlog_iclog_write's `offset`) on 6.18.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/common/block_device.h"
#include "model/common/clock.h"
#include "model/common/commit.h"
#include "model/common/counters.h"
#include "model/common/operation.h"
#include "model/journal.h"

namespace fcsim::model::xfs_log {

using Cause = CheckpointCause;
using Checkpoint = CheckpointRecord;

// Checkpoints are numbered from 1 on.
using model::Sequence;

struct Settings {
  std::uint32_t iclog_bytes = 32768;      // logbsize: 16384 to 262144
  std::uint64_t log_bytes = 64ULL << 20;  // the log's size on disk
  std::uint32_t unit_bytes = 512;         // log writes are multiples of this: sector or stripe
  std::int64_t worker_interval_centisecs = 3000;  // fs.xfs.xfssyncd_centisecs
  friend bool operator==(const Settings&, const Settings&) = default;
};

using Counters = XfsLogCounters;

// An object that can be logged, in its owner's hands; must stay where it is.
struct Item {
  Sequence sequence = 0;       // the checkpoint that it was logged into last
  std::uint32_t bytes = 0;     // of it in that checkpoint
  std::uint64_t inserted = 0;  // when it entered the active item list (AIL); 0: never
};

class Log {
 public:
  Log(const Settings& settings, const Clock& clock, BlockDevice& device);

  // ---- transactions ----
  void reserve() { ++counters_.log_reserve; }
  // An item of the transaction under way holds `bytes` of changes since it was last written back.
  void add(Item& item, std::uint32_t bytes);
  // The transaction's changes are in the CIL. A roll goes on with the same reservation.
  void commit(Time now, const Origin& origin);
  void roll(Time now, const Origin& origin) {
    ++counters_.trans_roll;
    commit(now, origin);
  }
  // The sequence that changes go into at present.
  [[nodiscard]] Sequence current() const { return current_; }
  [[nodiscard]] bool cil_empty() const { return cil_.empty(); }
  // Whether the item was changed since it was last written back in place.
  [[nodiscard]] bool is_dirty(const Item& item) const {
    return item.sequence > durable_ || in_ail(item);
  }
  [[nodiscard]] bool in_ail(const Item& item) const { return item.inserted > written_back_; }
  // The item was logged before the trace, and is not yet written back.
  void assume_in_ail(Item& item) { item.inserted = ++insertions_; }
  // Something other than a covering transaction was written before the trace.
  void assume_written() { cover_ = Cover::need; }

  // ---- forces ----
  struct Force {
    bool writes = false;    // this very call makes the checkpoint
    Sequence wait_for = 0;  // durable when this is; 0: nothing to wait for
  };
  // xfs_log_force_seq: nothing if `sequence` is durable.
  Force force(Sequence sequence, Time now, Cause cause, const Origin& origin);
  // xfs_log_force: whatever is in the CIL.
  Force force_all(Time now, Cause cause, const Origin& origin);

  [[nodiscard]] Sequence durable() const { return durable_; }
  // The newest checkpoint whose write was started.
  [[nodiscard]] Sequence submitted() const { return current_ - 1; }
  // The writes of all checkpoints up to `sequence` have ended.
  void written(Sequence sequence);
  // Writes under way, in the order in which they began; `blocks` of 512 bytes.
  [[nodiscard]] const std::vector<LogWrite>& writes() const { return writes_; }

  // ---- the log worker (fs/xfs/xfs_log.c:xfs_log_worker) ----
  void mounted(Time at);
  [[nodiscard]] std::optional<Time> next_event() const { return worker_; }
  void happen(Time now);

  // Checkpoints made since the last call, oldest first.
  [[nodiscard]] std::vector<Checkpoint> take_checkpoints() { return std::move(made_); }
  void keep_changes(bool yes) { keep_changes_ = yes; }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  enum class Cover : std::uint8_t { idle, need, done, need2, done2 };
  struct InFlight {
    Sequence sequence = 0;
    bool covering = false;
    std::vector<Item*> items;
  };

  void push(Time now, Cause cause, const Origin& origin, bool to_disk);
  void send_active();
  void write_iclog(std::uint64_t payload, bool preflush, bool fua);
  void cover(Time now);
  void arm(Time now);
  [[nodiscard]] bool ail_empty() const { return insertions_ <= written_back_; }

  Settings settings_;
  Clock clock_;
  BlockDevice& device_;
  Counters counters_;
  std::uint64_t iclog_payload_;  // bytes that fit into an iclog
  std::uint64_t cil_limit_;

  Sequence current_ = 1;
  Sequence durable_ = 0;
  Checkpoint open_;
  std::vector<Item*> cil_;
  std::uint64_t cil_bytes_ = 0;
  std::uint64_t active_iclog_ = 0;  // bytes in the iclog that no force has sent off yet
  std::deque<InFlight> in_flight_;
  std::vector<LogWrite> writes_;

  Cover cover_ = Cover::idle;
  bool covering_ = false;  // the transaction under way is the dummy one
  Item superblock_;
  std::uint64_t insertions_ = 0;
  std::uint64_t written_back_ = 0;  // items that entered the AIL up to here are written back
  bool push_all_ = false;           // the AIL was told to push all, and was empty
  std::optional<Time> worker_;

  bool keep_changes_ = false;
  std::vector<Checkpoint> made_;
};

}  // namespace fcsim::model::xfs_log
