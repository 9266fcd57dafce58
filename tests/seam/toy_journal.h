// A journal as simple as one can be: a force writes all that is dirty, at once and in one piece.
// There is no timer, no limit on the log, and a handle never forces anything by itself.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "model/journal.h"

namespace fcsim::test {

class ToyJournal : public model::Journal {
 public:
  void begin(model::Time now, std::uint32_t, const model::Origin&) override {
    if (open_handles_++ == 0 && running_sequence_ == 0) {
      running_sequence_ = next_++;
      record_ = {};
      record_.opened = now;
      record_.tid = running_sequence_;
    }
    if (open_handles_ == 1) ++record_.handles;
  }
  void log(model::LogItem& item) override {
    assert(running_sequence_ != 0);
    if (item.logged_in == running_sequence_) return;
    item.logged_in = running_sequence_;
    ++record_.blocks;
  }
  void forget(model::LogItem& item) override {
    if (item.logged_in == running_sequence_) --record_.blocks;
    item.logged_in = 0;
  }
  void end(model::Time now, const model::Origin& origin, bool synchronous) override {
    if (--open_handles_ == 0 && synchronous) force(now, model::Cause::synchronous_handle, origin);
  }
  void force(model::Time now, model::Cause cause, const model::Origin& origin) override {
    if (running_sequence_ == 0) return;
    if (committing_sequence_ != 0) {
      wanted_ = true;
      return;
    }
    record_.start = now;
    record_.cause = cause;
    record_.origin = origin;
    record_.requested = true;
    committing_sequence_ = running_sequence_;
    running_sequence_ = 0;
    written_ = record_;
  }
  void force_now(model::Time now, model::Cause cause, const model::Origin& origin) override {
    force(now, cause, origin);
    if (committing_sequence_ != 0) end_write(now);
  }
  [[nodiscard]] std::optional<model::LogWrite> writing() const override {
    if (committing_sequence_ == 0) return std::nullopt;
    return model::LogWrite{committing_sequence_, committing_sequence_, written_.blocks, false};
  }
  void end_write(model::Time now) override {
    written_.end = now;
    written_.blocks_logged = written_.blocks;
    durable_sequence_ = committing_sequence_;
    committing_sequence_ = 0;
    committed_any_ = true;
    ++totals_.transactions;
    ++totals_.requested;
    totals_.blocks += written_.blocks;
    totals_.handles += written_.handles;
    for (model::JournalObserver* observer : observers_) observer->on_commit(written_);
    if (std::exchange(wanted_, false)) force(now, written_.cause, written_.origin);
  }
  void mount_again(const model::MountSettings&) override { totals_ = {}; }
  void remount(const model::MountSettings&) override {}
  [[nodiscard]] model::JournalTotals totals() const override { return totals_; }
  void add_observer(model::JournalObserver& observer) override { observers_.push_back(&observer); }

 private:
  model::Sequence next_ = 1;
  std::uint32_t open_handles_ = 0;
  bool wanted_ = false;
  model::FullCommitRecord record_, written_;
  model::JournalTotals totals_;
  std::vector<model::JournalObserver*> observers_;
};

}  // namespace fcsim::test
