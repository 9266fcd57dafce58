#include "sim/machine/kernel_counters.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "model/common/error.h"

namespace fcsim::machine {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

const model::NamedCounter* find(const KernelCounters& counters, std::string_view group,
                                std::string_view name) {
  for (const model::NamedCounter& counter : counters.counted)
    if (counter.group == group && counter.name == name) return &counter;
  return nullptr;
}

// "25 commits": a number, a blank and one word.
std::optional<std::pair<std::string, std::uint64_t>> counted_word(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos || line.find(' ', blank + 1) != std::string::npos)
    return std::nullopt;
  const auto value = number(std::string_view(line).substr(0, blank));
  if (!value) return std::nullopt;
  return std::pair(line.substr(blank + 1), *value);
}

// "\"Cross rename\":\t25"
std::optional<std::pair<std::string, std::uint64_t>> counted_reason(const std::string& line) {
  const std::size_t end = line.find("\":");
  if (!line.starts_with('"') || end == std::string::npos) return std::nullopt;
  const std::size_t digits = line.find_first_not_of(" \t", end + 2);
  if (digits == std::string::npos) return std::nullopt;
  const auto value = number(std::string_view(line).substr(digits));
  if (!value) return std::nullopt;
  return std::pair(line.substr(1, end - 1), *value);
}

void parse_fc_info(const std::string& text, KernelCounters& counters) {
  const model::CounterGroup& totals = model::counter_group("fc_info");
  bool in_snapshot = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "Snapshot stats:") in_snapshot = true;
    if (const auto reason = counted_reason(line))
      counters.counted.push_back({"fc_info.reasons", reason->first, reason->second});
    const auto word = counted_word(line);
    if (!word) continue;
    if (in_snapshot)
      counters.counted.push_back({"fc_info.snapshot", word->first, word->second});
    else if (totals.find(word->first) != nullptr)
      counters.counted.push_back({"fc_info", word->first, word->second});
  }
  for (const model::Counter& counter : totals.counters)
    if (counter.main && find(counters, "fc_info", counter.name) == nullptr)
      throw model::InputError({"fc_info", 0, 0},
                              "expected the counter \"" + std::string(counter.name) + "\"");
}

}  // namespace

std::uint64_t KernelCounters::value(std::string_view group, std::string_view name) const {
  const model::NamedCounter* const counter = find(*this, group, name);
  return counter == nullptr ? 0 : counter->value;
}

// "51 transactions (51 requested), each up to 2730 blocks"
KernelCounters parse_jbd2_info(const std::string& text) {
  KernelCounters counters;
  std::istringstream words(text);
  std::string transactions, requested, each, up, to;
  std::uint64_t count = 0, limit = 0;
  if (!(words >> count >> transactions >> requested)) return counters;
  const auto asked = number(requested.starts_with('(') ? requested.substr(1) : requested);
  if (transactions != "transactions" || !asked) return counters;
  counters.counted = {{"jbd2", "transactions", count}, {"jbd2", "requested", *asked}};
  if (words >> requested >> each >> up >> to >> limit)
    counters.counted.push_back({"jbd2", "max_transaction_blocks", limit});
  return counters;
}

KernelCounters parse_kernel_counters(const std::string& fc_info, const std::string& jbd2_info) {
  KernelCounters counters;
  parse_fc_info(fc_info, counters);
  const KernelCounters journal = parse_jbd2_info(jbd2_info);
  counters.counted.insert(counters.counted.end(), journal.counted.begin(), journal.counted.end());
  return counters;
}

}  // namespace fcsim::machine
