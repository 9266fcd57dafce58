// JBD2: transactions, the blocks in them, when they commit and what that costs in the log.
//
// This is the one place that knows what is JBD2's own. The file system above starts and stops
// handles and dirties metadata blocks; the engine drives time: it fires the timer, and ends a
// commit that was begun. Nothing here waits: whoever must wait is told by the state it finds.
//
// Facts: fs/jbd2/{transaction,commit,journal,checkpoint}.c of 6.1 to 6.18, measured on 6.18.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <optional>

#include "model/common/clock.h"
#include "model/common/commit.h"
#include "model/common/configuration.h"
#include "model/common/geometry.h"

namespace fcsim::model::jbd2 {

// A metadata block as the journal sees it. Lives where its owner lives (inode table, bitmap,
// directory, extent leaf); never moves while a transaction knows it matters only by value.
struct MetadataBlock {
  Tid dirtied_in = 0;  // newest transaction that dirtied it; 0: none since the mount
};

// A running or committing transaction.
struct Transaction {
  Tid tid = 0;
  Time start = 0;
  Time expires = 0;  // when the jiffy begins in which a handle's stop asks for the commit (rule A)
  Time timer = 0;    // when kjournald's timer fires (rule B)
  bool requested = false;
  Cause cause = Cause::timer;  // meaningful once requested, or when the timer took it
  Origin origin;
  std::uint32_t blocks = 0;   // distinct metadata blocks dirtied (D)
  std::uint32_t revokes = 0;  // revoke records
  std::uint32_t handles = 0;
  std::uint32_t reserved_credits = 0;  // for conversions at I/O end not yet run
  std::uint32_t fast_commits = 0;
  std::uint32_t rejoined = 0;  // committing: how many of its blocks the next one has dirtied again
  std::uint16_t ineligible_reason = 0xffff;
  Origin ineligible_origin;
};

// Who must know when a full commit closes its transaction and when it is done: the fast-commit log.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  virtual void full_commit_began() = 0;
  virtual void full_commit_ended(Tid tid) = 0;
};

struct JournalTotals {
  std::uint64_t transactions = 0, requested = 0;
  std::uint64_t blocks = 0, blocks_logged = 0, handles = 0;
};

class Journal {
 public:
  Journal(const Geometry& geometry, const Clock& clock, const KernelRules& kernel,
          const MountSettings& mount);

  // ---- handles ----
  // A handle of `credits` buffers begins. May start a transaction, or first close the running one
  // when the request does not fit or the log is short (then committing() is set by the return).
  // `credits` is what jbd2__journal_start is asked for, the default revoke credits not included.
  void start_handle(Time now, std::uint32_t credits, const Origin& origin);
  // The outermost handle stops: rule A (a commit is requested when the interval is over).
  // `synchronous`: the handle was marked sync; the caller must then wait for running() at the call.
  void stop_handle(Time now, const Origin& origin, bool synchronous = false);
  [[nodiscard]] bool in_handle() const { return open_handles_ != 0; }

  void dirty(MetadataBlock& block);
  // The block is freed: it leaves the transaction, and a revoke record remembers it.
  void forget(MetadataBlock& block);
  void reserve_credits(std::uint32_t credits);
  void release_credits(std::uint32_t credits);
  // Half of the largest transaction is reserved: whoever wants more waits for conversions to run
  // (fs/jbd2/transaction.c:add_transaction_credits).
  [[nodiscard]] bool reservations_full(std::uint32_t credits) const {
    return running_ && running_->reserved_credits + credits > geometry_.max_transaction_blocks / 2;
  }

  // ---- commits ----
  // Somebody asks for the commit of the running transaction; begins it unless another one is going
  // on, which it then follows at once. A second request changes neither cause nor origin.
  void request_commit(Time now, Cause cause, const Origin& origin);
  // The same, and the caller goes on only when it is done: the record is among take_forced().
  void commit_now(Time now, Cause cause, const Origin& origin);
  // kjournald's timer at its time (rule B): an unrequested commit if the transaction is still
  // there.
  void fire_timer(Time now);
  // The committing transaction is on disk. Returns its record; a requested one may begin at once.
  FullCommitRecord finish_commit(Time now);
  // While `held`, a requested commit does not begin (a fast commit is going on).
  void hold_commits(bool held) { held_ = held; }
  void set_listener(CommitListener* listener) { listener_ = listener; }
  // Begins a commit that was requested and had to wait. True if one began.
  bool begin_pending(Time now);
  // The running transaction's commit is asked for and waits for handles or a fast commit.
  [[nodiscard]] bool is_pending() const { return pending_; }

  [[nodiscard]] const Transaction* running() const { return running_ ? &*running_ : nullptr; }
  [[nodiscard]] Transaction* running() { return running_ ? &*running_ : nullptr; }
  [[nodiscard]] const Transaction* committing() const {
    return committing_ ? &*committing_ : nullptr;
  }
  [[nodiscard]] Time committing_since() const { return committing_since_; }
  [[nodiscard]] Tid committed_tid() const { return committed_tid_; }
  [[nodiscard]] bool committed_any() const { return committed_any_; }
  void assume_committed_before() { committed_any_ = true; }
  [[nodiscard]] const JournalTotals& totals() const { return totals_; }
  // A running transaction's tid, or the committing one's, or the last committed (fresh inodes).
  [[nodiscard]] Tid newest_tid() const {
    return running_ ? running_->tid : committing_ ? committing_->tid : committed_tid_;
  }

  // Everything committed so far was written home (sync, syncfs, unmount).
  void checkpoint_all();

  // ---- mounts ----
  // Mounted again after an unmount, when nothing runs or commits: the log is empty, totals begin
  // anew, tids go on. Geometry may have changed.
  void mount_again(const MountSettings& mount);
  // Of transactions that start from now on.
  void set_commit_interval(std::int64_t seconds);

 private:
  struct Checkpoint {  // a committed transaction whose blocks are not all written home
    Tid tid = 0;
    std::uint32_t log_blocks = 0;
    std::uint32_t live = 0;      // blocks still on its checkpoint list
    std::uint32_t rejoined = 0;  // of those, how many the running transaction has dirtied again
  };

  void start_transaction(Time now);
  // Blocks and credits that still fit into the running transaction.
  [[nodiscard]] std::int64_t headroom() const;
  // What a handle that asks for `credits` is charged.
  [[nodiscard]] std::uint32_t charged(std::uint32_t credits) const;
  void begin_commit(Time now);
  void leave_checkpoint(Tid tid);
  void ensure_room(Time now, std::uint32_t credits, const Origin& origin);
  void ensure_log_space(Time now, const Origin& origin);
  [[nodiscard]] std::int64_t log_wanted() const { return geometry_.max_transaction_blocks; }
  [[nodiscard]] std::int64_t log_left() const;
  void close_for(Time now, Cause cause, const Origin& origin);
  Checkpoint* checkpoint_of(Tid tid);
  void drop_finished_checkpoints();
  [[nodiscard]] std::uint32_t log_blocks_of(const Transaction& transaction) const;

  const Geometry& geometry_;
  const Clock& clock_;
  const KernelRules& kernel_;
  std::int64_t interval_jiffies_;

  std::optional<Transaction> running_;
  std::optional<Transaction> committing_;
  Time committing_since_ = 0;
  Tid next_tid_ = 2;
  Tid committed_tid_ = 1;
  bool committed_any_ = false;
  bool pending_ = false;  // the running transaction's commit is asked for
  bool held_ = false;
  CommitListener* listener_ = nullptr;
  std::uint32_t open_handles_ = 0;
  std::deque<Checkpoint> checkpoints_;                    // by ascending, consecutive tid
  boost::container::small_vector<Tid, 8> rejoined_tids_;  // whose `rejoined` is not 0
  std::int64_t log_free_ = 0;
  std::deque<FullCommitRecord> forced_;  // commits that start_handle() had to finish itself
  JournalTotals totals_;

 public:
  // Commits finished inside start_handle() since the last call, oldest first.
  std::optional<FullCommitRecord> take_forced();
};

}  // namespace fcsim::model::jbd2
