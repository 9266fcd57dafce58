// A journal that records what it is told, in order. It commits as the toy journal does.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/seam/toy_journal.h"

namespace fcsim::test {

class RecordingJournal final : public ToyJournal {
 public:
  struct Told {
    enum class What : std::uint8_t { begin, log, forget, end, synchronous_end, force };
    What what = What::begin;
    std::uint32_t credits = 0;                                   // begin
    model::ItemKind kind = model::ItemKind::unnamed;             // log, forget
    std::uint32_t owner = 0;                                     // log, forget
    model::Cause cause = model::Cause::timer;                    // force
    model::OperationKind asked_by = model::OperationKind::none;  // begin, end, force
  };

  void begin(model::Time now, std::uint32_t credits, const model::Origin& origin) override {
    told_.push_back({.what = Told::What::begin, .credits = credits, .asked_by = origin.kind});
    ToyJournal::begin(now, credits, origin);
  }
  void log(model::LogItem& item) override {
    told_.push_back({.what = Told::What::log, .kind = item.kind, .owner = item.owner});
    const model::Sequence before = item.logged_in;
    ToyJournal::log(item);
    if (item.logged_in != before) logged_.push_back(item);
  }
  void forget(model::LogItem& item) override {
    told_.push_back({.what = Told::What::forget, .kind = item.kind, .owner = item.owner});
    ToyJournal::forget(item);
  }
  void end(model::Time now, const model::Origin& origin, bool synchronous) override {
    told_.push_back({.what = synchronous ? Told::What::synchronous_end : Told::What::end,
                     .asked_by = origin.kind});
    ToyJournal::end(now, origin, synchronous);
  }
  void force(model::Time now, model::Cause cause, const model::Origin& origin) override {
    told_.push_back({.what = Told::What::force, .cause = cause, .asked_by = origin.kind});
    ToyJournal::force(now, cause, origin);
  }

  [[nodiscard]] const std::vector<Told>& told() const { return told_; }
  // The distinct items of each transaction, in the order in which they joined it.
  [[nodiscard]] const std::vector<model::LogItem>& logged() const { return logged_; }
  [[nodiscard]] bool has_logged(model::ItemKind kind, std::uint32_t owner) const {
    return std::any_of(logged_.begin(), logged_.end(), [&](const model::LogItem& item) {
      return item.kind == kind && item.owner == owner;
    });
  }
  [[nodiscard]] std::size_t count(Told::What what) const {
    return static_cast<std::size_t>(std::count_if(
        told_.begin(), told_.end(), [&](const Told& told) { return told.what == what; }));
  }
  void clear() {
    told_.clear();
    logged_.clear();
  }

 private:
  std::vector<Told> told_;
  std::vector<model::LogItem> logged_;
};

}  // namespace fcsim::test
