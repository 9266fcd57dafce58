#include "sim/machine/record/kernel_counters.h"

#include <charconv>
#include <sstream>

#include "model/common/error.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"
#include "sim/machine/record/toml_writer.h"

namespace fcsim::machine::record {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
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
  bool in_snapshot = false;
  std::size_t found = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "Snapshot stats:") in_snapshot = true;
    if (const auto reason = counted_reason(line)) counters.reasons.push_back(*reason);
    const auto word = counted_word(line);
    if (!word) continue;
    if (in_snapshot) counters.snapshot.push_back(*word);
    for (const auto& [name, member] : {std::pair("commits", &KernelCounters::commits),
                                       std::pair("ineligible", &KernelCounters::ineligible),
                                       std::pair("numblks", &KernelCounters::numblks)}) {
      if (in_snapshot || word->first != name) continue;
      counters.*member = word->second;
      ++found;
    }
  }
  if (found != 3)
    throw model::InputError({"fc_info", 0, 0}, "expected commits, ineligible and numblks");
}

// "51 transactions (51 requested), each up to 2730 blocks"
void parse_jbd2_info(const std::string& text, KernelCounters& counters) {
  std::istringstream words(text);
  std::string transactions, requested, each, up, to;
  std::uint64_t count = 0, limit = 0;
  if (!(words >> count >> transactions >> requested)) return;
  const auto asked = number(requested.starts_with('(') ? requested.substr(1) : requested);
  if (transactions != "transactions" || !asked) return;
  counters.transactions = count;
  counters.requested = *asked;
  if (words >> requested >> each >> up >> to >> limit) counters.max_transaction_blocks = limit;
}

KernelCounters::Named difference_of(const KernelCounters::Named& before,
                                    const KernelCounters::Named& after) {
  KernelCounters::Named result = after;
  for (auto& [name, value] : result)
    for (const auto& [known, old] : before)
      if (known == name) value -= old;
  return result;
}

void add_named(TomlWriter& writer, const KernelCounters::Named& named) {
  for (const auto& [name, value] : named) writer.integer(name, static_cast<std::int64_t>(value));
}

}  // namespace

KernelCounters parse_kernel_counters(const std::string& fc_info, const std::string& jbd2_info) {
  KernelCounters counters;
  parse_fc_info(fc_info, counters);
  parse_jbd2_info(jbd2_info, counters);
  return counters;
}

std::optional<KernelCounters> read_kernel_counters(const std::string& device) {
  if (device.empty()) return std::nullopt;
  const auto fc_info = read_small_file("/proc/fs/ext4/" + device + "/fc_info");
  if (!fc_info) return std::nullopt;
  return parse_kernel_counters(*fc_info,
                               read_small_file("/proc/fs/jbd2/" + device + "-8/info").value_or(""));
}

KernelCounters difference(const KernelCounters& before, const KernelCounters& after) {
  KernelCounters result = after;
  result.commits -= before.commits;
  result.ineligible -= before.ineligible;
  result.numblks -= before.numblks;
  result.transactions -= before.transactions;
  result.requested -= before.requested;
  result.reasons = difference_of(before.reasons, after.reasons);
  result.snapshot = difference_of(before.snapshot, after.snapshot);
  return result;
}

std::string truth_text(const KernelCounters& counted, const RecordedRun& run) {
  const auto number_of = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  TomlWriter writer;
  writer.table("[fc_info]");
  writer.integer("commits", number_of(counted.commits));
  writer.integer("ineligible", number_of(counted.ineligible));
  writer.integer("numblks", number_of(counted.numblks));
  KernelCounters::Named reasons = counted.reasons;
  std::erase_if(reasons, [](const auto& reason) { return reason.second == 0; });
  if (!reasons.empty()) writer.table("[fc_info.reasons]");
  add_named(writer, reasons);
  if (!counted.snapshot.empty()) writer.table("[fc_info.snapshot]");
  add_named(writer, counted.snapshot);
  writer.table("[jbd2]");
  writer.integer("transactions", number_of(counted.transactions));
  writer.integer("requested", number_of(counted.requested));
  writer.table("[run]");
  writer.integer("exit_status", run.exit_status);
  writer.seconds("wall_s", run.read_at_ns - run.started_ns);
  writer.seconds("started", run.started_ns);
  writer.seconds("read_at", run.read_at_ns);
  writer.integer("max_transaction_blocks", number_of(counted.max_transaction_blocks));
  return writer.result();
}

}  // namespace fcsim::machine::record
