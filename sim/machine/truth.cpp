#include "sim/machine/truth.h"

#include <algorithm>
#include <cmath>
#include <span>

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
  constexpr std::int64_t latest = 9'000'000'000;  // the year 2255; 2^63 ns are in 2262
  const auto* whole = std::get_if<std::int64_t>(&entry.value);
  if (whole != nullptr && *whole >= 0 && *whole <= latest) return *whole * 1'000'000'000;
  const auto* seconds = std::get_if<double>(&entry.value);
  if (seconds == nullptr || !std::isfinite(*seconds) || *seconds < 0 ||
      *seconds > static_cast<double>(latest))
    throw model::InputError(
        entry.position,
        "'" + entry.key + "' expects seconds since 1970, found " + describe(entry.value));
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
  // False where the table holds no counters, or this one is not a counter.
  bool take(const std::string& table, const configuration::Entry& entry) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const model::CounterGroup& group = groups_[i];
      if (!group.counted_by_kernel()) continue;
      const bool elsewhere = is_in_table(group, entry.key, table);
      if (table != group.name && !elsewhere) continue;
      const std::uint64_t count = count_of(entry);
      // 0 in a list of reasons, or as a limit: there is none.
      if (count == 0 && (elsewhere || group.named != nullptr)) return true;
      counters_[i].push_back({std::string(group.truth_prefix) + entry.key, count});
      return true;
    }
    return false;
  }

  [[nodiscard]] bool empty() const { return in_order().empty(); }

  // In the order of kernel_counters(Counters).
  [[nodiscard]] std::vector<Counter> in_order() const {
    std::vector<Counter> all;
    for (const std::vector<Counter>& counters : counters_)
      all.insert(all.end(), counters.begin(), counters.end());
    return all;
  }

 private:
  // Whether the group's counter of that name is in a table other than the group's.
  static bool is_in_table(const model::CounterGroup& group, const std::string& counter,
                          const std::string& table) {
    const model::Counter* const row = group.find(counter);
    return row != nullptr && !row->truth_table.empty() && row->truth_table == table;
  }

  std::span<const model::CounterGroup> groups_ = model::counter_groups();
  std::vector<std::vector<Counter>> counters_{groups_.size()};
};

void take_run_key(const configuration::Entry& entry, Truth& truth) {
  if (entry.key == "started")
    truth.started = time_of(entry);
  else if (entry.key == "read_at")
    truth.read_at = time_of(entry);
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
      take_run_key(entry, truth);
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
