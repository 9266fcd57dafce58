#include "sim/validation/truth.h"

#include <cmath>

#include "sim/configuration/document.h"

namespace fcsim::sim {
namespace {

std::uint64_t count_of(const Entry& entry) {
  const auto* value = std::get_if<std::int64_t>(&entry.value);
  if (value == nullptr || *value < 0)
    throw InputError(entry.position,
                     "'" + entry.key + "' expects a count, found " + describe(entry.value));
  return static_cast<std::uint64_t>(*value);
}

// Seconds with a fraction; the recording has microseconds, and a double holds no more.
model::Time time_of(const Entry& entry) {
  if (const auto* whole = std::get_if<std::int64_t>(&entry.value)) return *whole * 1'000'000'000;
  const auto* seconds = std::get_if<double>(&entry.value);
  if (seconds == nullptr || !std::isfinite(*seconds) || std::abs(*seconds) > 9e9)
    throw InputError(entry.position,
                     "'" + entry.key + "' expects seconds, found " + describe(entry.value));
  return std::llround(*seconds * 1e6) * 1000;
}

Spread spread_of(const Entry& entry) {
  const auto* range = std::get_if<std::vector<std::int64_t>>(&entry.value);
  if (range == nullptr || range->size() != 2 || range->front() < 0 ||
      range->back() < range->front())
    throw InputError(entry.position, "'" + entry.key + "' expects [lowest, highest], found " +
                                         describe(entry.value));
  return {static_cast<std::uint64_t>(range->front()), static_cast<std::uint64_t>(range->back())};
}

}  // namespace

Truth read_truth(const std::string& path) {
  const Document document = read_document(path);
  Truth truth;
  std::vector<Counter> snapshot;
  std::vector<Counter> journal;
  for (const TableHeader& header : document.tables)
    if (header.table == "stage") truth.has_stages = true;
  for (const Entry& entry : document.entries) {
    if (entry.table == "fc_info") {
      truth.counters.push_back({entry.key, count_of(entry)});
    } else if (entry.table == "fc_info.reasons") {
      if (count_of(entry) != 0) truth.counters.push_back({"reasons." + entry.key, count_of(entry)});
    } else if (entry.table == "fc_info.snapshot") {
      snapshot.push_back({"snapshot." + entry.key, count_of(entry)});
    } else if (entry.table == "jbd2") {
      journal.push_back({entry.key, count_of(entry)});
    } else if (entry.table == "spread") {
      truth.spread[entry.key] = spread_of(entry);
    } else if (entry.table == "again") {
      if (const auto* value = std::get_if<std::int64_t>(&entry.value);
          value != nullptr && *value >= 0)
        truth.again[entry.key] = static_cast<std::uint64_t>(*value);
    } else if (entry.table == "run" && entry.key == "started") {
      truth.started = time_of(entry);
    } else if (entry.table == "run" && entry.key == "read_at") {
      truth.read_at = time_of(entry);
    } else if (entry.table == "run" && entry.key == "max_transaction_blocks") {
      if (count_of(entry) != 0) journal.push_back({entry.key, count_of(entry)});
    }
  }
  if (truth.counters.empty() && journal.empty())
    throw InputError({path, 0, 0}, "no truth file: neither [fc_info] nor [jbd2]");
  truth.counters.insert(truth.counters.end(), snapshot.begin(), snapshot.end());
  truth.counters.insert(truth.counters.end(), journal.begin(), journal.end());
  return truth;
}

}  // namespace fcsim::sim
