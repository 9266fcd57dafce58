// JBD2: transactions, the blocks in them, when they commit and what that costs in the log.
//
// This is the one place that knows what is JBD2's own. A block's identity does not matter to it:
// it counts the distinct blocks of a transaction and remembers, in the block, where it was logged.
//
// Facts: fs/jbd2/{transaction,commit,journal,checkpoint}.c of 6.1 to 6.18, measured on 6.18.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "model/common/clock.h"
#include "model/common/commit.h"
#include "model/common/configuration.h"
#include "model/common/geometry.h"
#include "model/common/limit.h"
#include "model/journal.h"

namespace fcsim::model::jbd2 {

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
  std::uint32_t rejoined = 0;  // committing: how many of its blocks the next one has dirtied again
};

class Journal final : public model::Journal {
 public:
  Journal(const Geometry& geometry, const Clock& clock, const KernelRules& kernel,
          const MountSettings& mount);

  // model::Journal. `credits` is what jbd2__journal_start is asked for, the default revoke credits
  // not included. The end of a handle asks for the commit when the interval is over (rule A);
  // forget() leaves a revoke record.
  void begin(Time now, std::uint32_t credits, const Origin& origin) override;
  void log(LogItem& block) override;
  void forget(LogItem& block) override;
  void end(Time now, const Origin& origin, bool synchronous) override;
  void reserve(std::uint32_t credits) override;
  void release(std::uint32_t credits) override;
  // Half of the largest transaction is reserved: whoever wants more waits for conversions to run
  // (fs/jbd2/transaction.c:add_transaction_credits).
  [[nodiscard]] bool reservations_full(std::uint32_t credits) const override {
    return running_ &&
           !limits_.reservations.allows(std::int64_t{running_->reserved_credits} + credits);
  }

  void force(Time now, Cause cause, const Origin& origin) override;
  void force_now(Time now, Cause cause, const Origin& origin) override;
  void hold(Time now, bool held) override;
  void let_daemon_sleep(Time now, bool sleeps) override;
  [[nodiscard]] bool commit_pending() const override { return pending_; }
  void checkpoint_all() override;

  [[nodiscard]] std::optional<LogWrite> writing() const override;
  void end_write(Time now) override { finish_commit(now); }
  // kjournald's timer (rule B), unless the commit is asked for already.
  [[nodiscard]] std::optional<Time> next_event() const override {
    if (!running_ || running_->requested || pending_) return std::nullopt;
    return running_->timer;
  }
  // The timer fires: an unrequested commit.
  void happen(Time now) override;

  void mount_again(const MountSettings& mount) override;
  void remount(const MountSettings& mount) override;
  [[nodiscard]] JournalTotals totals() const override { return totals_; }
  [[nodiscard]] bool holds_for(const Geometry& geometry, const MountSettings& mount,
                               Time now) const override;
  void add_observer(JournalObserver& observer) override {
    observers_.push_back(&observer);
    if (observer.observes_items()) item_observers_.push_back(&observer);
  }

 private:
  struct Checkpoint {  // a committed transaction whose blocks are not all written home
    Tid tid = 0;
    std::uint32_t log_blocks = 0;
    std::uint32_t live = 0;      // blocks still on its checkpoint list
    std::uint32_t rejoined = 0;  // of those, how many the running transaction has dirtied again
  };

  // What the log's length limits, in blocks.
  struct Limits {
    Limits(const Geometry& geometry, const KernelRules& kernel);
    [[nodiscard]] bool answer_as(const Limits& other) const;
    std::int64_t most_transaction, most_reserved, most_log;
    Limit transaction;   // blocks and credits of one transaction
    Limit reservations;  // reserved credits of one transaction
    Limit log;           // the log in use, while the largest transaction must still fit
  };

  void start_transaction(Time now);
  void set_interval(const MountSettings& mount);
  void note_age(Time now);
  // What a handle that asks for `credits` is charged.
  [[nodiscard]] std::uint32_t charged(std::uint32_t credits) const;
  void begin_pending(Time now);
  void begin_commit(Time now);
  void finish_commit(Time now);
  void leave_checkpoint(Tid tid);
  void ensure_room(Time now, std::uint32_t credits, const Origin& origin);
  void ensure_log_space(Time now, const Origin& origin);
  [[nodiscard]] bool log_has_room() const;
  void close_for(Time now, Cause cause, const Origin& origin);
  Checkpoint* checkpoint_of(Tid tid);
  void drop_finished_checkpoints();
  [[nodiscard]] std::uint32_t log_blocks_of(const Transaction& transaction) const;

  const Geometry& geometry_;
  const Clock& clock_;
  const KernelRules& kernel_;
  Limits limits_;
  std::int64_t interval_jiffies_;
  // Of transactions that something else than the interval ended: the oldest, in jiffies.
  std::int64_t oldest_ended_ = 0;
  bool interval_ended_one_ = false;  // or was changed
  std::vector<JournalObserver*> observers_, item_observers_;

  std::optional<Transaction> running_;
  std::optional<Transaction> committing_;
  Time committing_since_ = 0;
  Tid next_tid_ = 2;
  bool pending_ = false;  // the running transaction's commit is asked for
  bool held_ = false;
  bool daemon_sleeps_ = false;
  std::uint32_t open_handles_ = 0;
  std::deque<Checkpoint> checkpoints_;                    // by ascending, consecutive tid
  boost::container::small_vector<Tid, 8> rejoined_tids_;  // whose `rejoined` is not 0
  std::int64_t log_used_ = 0;
  JournalTotals totals_;
};

}  // namespace fcsim::model::jbd2
