#include "sim/machine/truth.h"

#include <algorithm>
#include <cmath>

#include "sim/configuration/document.h"

namespace fcsim::machine {
namespace {

std::uint64_t count_of(const configuration::Entry& entry) {
  const auto* value = std::get_if<std::int64_t>(&entry.value);
  if (value == nullptr || *value < 0)
    throw model::InputError(entry.position,
                            "'" + entry.key + "' expects a count, found " + describe(entry.value));
  return static_cast<std::uint64_t>(*value);
}

// Seconds with a fraction; the recording has microseconds, and a double holds no more.
model::Time time_of(const configuration::Entry& entry) {
  if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) return *whole * 1'000'000'000;
  const auto* seconds = std::get_if<double>(&entry.value);
  if (seconds == nullptr || !std::isfinite(*seconds) || std::abs(*seconds) > 9e9)
    throw model::InputError(entry.position,
                            "'" + entry.key + "' expects seconds, found " + describe(entry.value));
  return std::llround(*seconds * 1e6) * 1000;
}

Spread spread_of(const configuration::Entry& entry) {
  const auto* range = std::get_if<std::vector<std::int64_t>>(&entry.value);
  if (range == nullptr || range->size() != 2 || range->front() < 0 ||
      range->back() < range->front())
    throw model::InputError(
        entry.position,
        "'" + entry.key + "' expects [lowest, highest], found " + describe(entry.value));
  return {static_cast<std::uint64_t>(range->front()), static_cast<std::uint64_t>(range->back())};
}

// Counters of one set of tables, which may stand in the file in any order.
class CounterTables {
 public:
  // False where the table holds no counters.
  bool take(const std::string& table, const configuration::Entry& entry) {
    if (table == "fc_info") {
      fc_info_.push_back({entry.key, count_of(entry)});
    } else if (table == "fc_info.reasons") {
      if (count_of(entry) != 0) fc_info_.push_back({"reasons." + entry.key, count_of(entry)});
    } else if (table == "fc_info.snapshot") {
      snapshot_.push_back({"snapshot." + entry.key, count_of(entry)});
    } else if (table == "jbd2") {
      journal_.push_back({entry.key, count_of(entry)});
    } else if (table == "xfs") {
      xfs_.push_back({entry.key, count_of(entry)});
    } else if (table == "block_device" || table == "sync_results") {
      device_.push_back({entry.key, count_of(entry)});
    } else {
      return false;
    }
    return true;
  }

  void take_limit(const configuration::Entry& entry) {
    if (count_of(entry) != 0) journal_.push_back({entry.key, count_of(entry)});
  }

  [[nodiscard]] bool empty() const { return fc_info_.empty() && journal_.empty() && xfs_.empty(); }

  // In the order of counters_of(Prediction).
  [[nodiscard]] std::vector<Counter> in_order() const {
    std::vector<Counter> counters = fc_info_;
    counters.insert(counters.end(), snapshot_.begin(), snapshot_.end());
    counters.insert(counters.end(), journal_.begin(), journal_.end());
    counters.insert(counters.end(), xfs_.begin(), xfs_.end());
    counters.insert(counters.end(), device_.begin(), device_.end());
    return counters;
  }

 private:
  std::vector<Counter> fc_info_, snapshot_, journal_, xfs_, device_;
};

void take_run_key(const configuration::Entry& entry, Truth& truth, CounterTables& totals) {
  if (entry.key == "started")
    truth.started = time_of(entry);
  else if (entry.key == "read_at")
    truth.read_at = time_of(entry);
  else if (entry.key == "max_transaction_blocks")
    totals.take_limit(entry);
}

std::string text_of(const configuration::Entry& entry) {
  const auto* text = std::get_if<std::string>(&entry.value);
  if (text == nullptr)
    throw model::InputError(entry.position,
                            "'" + entry.key + "' expects a string, found " + describe(entry.value));
  return *text;
}

}  // namespace

Truth read_truth(const std::string& path) {
  const configuration::Document document = configuration::read_document(path);
  Truth truth;
  CounterTables totals;
  std::vector<CounterTables> stages;
  for (const configuration::TableHeader& header : document.tables)
    if (header.table == "stage") stages.resize(std::max(stages.size(), header.index + 1));
  truth.stages.resize(stages.size());
  for (const configuration::Entry& entry : document.entries) {
    if (totals.take(entry.table, entry)) continue;
    if (entry.table == "run")
      take_run_key(entry, truth, totals);
    else if (entry.table == "spread")
      truth.spread[entry.key] = spread_of(entry);
    else if (entry.table == "stage" && entry.key == "admin" && entry.index < stages.size())
      truth.stages[entry.index].admin = text_of(entry);
    else if (entry.table.starts_with("stage.") && entry.index < stages.size())
      stages[entry.index].take(entry.table.substr(6), entry);
    else if (entry.table == "again")
      if (const auto* value = std::get_if<std::int64_t>(&entry.value);
          value != nullptr && *value >= 0)
        truth.again[entry.key] = static_cast<std::uint64_t>(*value);
  }
  if (totals.empty())
    throw model::InputError({path, 0, 0}, "no truth file: none of [fc_info], [jbd2] and [xfs]");
  truth.counters = totals.in_order();
  for (std::size_t i = 0; i < stages.size(); ++i) truth.stages[i].counters = stages[i].in_order();
  return truth;
}

}  // namespace fcsim::machine
