#include "sim/machine/record/kernel_counters.h"

#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"
#include "sim/machine/record/toml_writer.h"

namespace fcsim::machine::record {
namespace {

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

void add_run(TomlWriter& writer, const RecordedRun& run) {
  writer.table("[run]");
  writer.integer("exit_status", run.exit_status);
  writer.seconds("wall_s", run.read_at_ns - run.started_ns);
  writer.seconds("started", run.started_ns);
  writer.seconds("read_at", run.read_at_ns);
}

}  // namespace

std::optional<KernelCounters> read_kernel_counters(const std::string& device) {
  if (device.empty()) return std::nullopt;
  const auto fc_info = read_small_file("/proc/fs/ext4/" + device + "/fc_info");
  if (!fc_info) return std::nullopt;
  return machine::parse_kernel_counters(
      *fc_info, read_small_file("/proc/fs/jbd2/" + device + "-8/info").value_or(""));
}

std::optional<XfsStatistics> read_xfs_statistics(const std::string& device) {
  if (device.empty()) return std::nullopt;
  const auto text = read_small_file("/sys/fs/xfs/" + device + "/stats/stats");
  if (!text) return std::nullopt;
  return parse_xfs_statistics(*text);
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
  add_run(writer, run);
  writer.integer("max_transaction_blocks", number_of(counted.max_transaction_blocks));
  return writer.result();
}

std::string truth_text(const XfsStatistics& counted, const RecordedRun& run) {
  TomlWriter writer;
  writer.table("[xfs]");
  writer.integer("trans_commit", static_cast<std::int64_t>(counted.trans_commit));
  writer.integer("iclog_writes", static_cast<std::int64_t>(counted.iclog_writes));
  writer.integer("log_blocks", static_cast<std::int64_t>(counted.log_blocks));
  add_run(writer, run);
  return writer.result();
}

}  // namespace fcsim::machine::record
