#include "sim/machine/record/kernel_counters.h"

#include <algorithm>

#include "sim/configuration/toml_writer.h"
#include "sim/machine/record/small_file.h"

namespace fcsim::machine::record {
namespace {

const model::Counter* row_of(const model::NamedCounter& counter) {
  return model::counter_group(counter.group).find(counter.name);
}

std::string_view truth_table_of(const model::NamedCounter& counter) {
  const model::Counter* const row = row_of(counter);
  return row == nullptr || row->truth_table.empty() ? counter.group : row->truth_table;
}

// Reasons are many and mostly 0.
bool is_written(const model::NamedCounter& counter) {
  return counter.value != 0 || model::counter_group(counter.group).named == nullptr;
}

void add_counters(configuration::TomlWriter& writer, const KernelCounters& counted,
                  std::string_view table) {
  for (const model::NamedCounter& counter : counted.counted)
    if (truth_table_of(counter) == table && is_written(counter))
      writer.integer(counter.name, static_cast<std::int64_t>(counter.value));
}

// A table that holds nothing is written only where its group is a whole file of the kernel's.
bool has_table(const KernelCounters& counted, const model::CounterGroup& group) {
  if (!group.counted_by_kernel()) return false;
  if (group.name == "fc_info" || group.name == "jbd2") return true;
  return std::any_of(counted.counted.begin(), counted.counted.end(),
                     [&](const model::NamedCounter& counter) {
                       return truth_table_of(counter) == group.name && is_written(counter);
                     });
}

void add_run(configuration::TomlWriter& writer, const RecordedRun& run) {
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
  for (model::NamedCounter& counter : result.counted) {
    const model::Counter* const row = row_of(counter);
    if (row != nullptr && row->combination == model::Combination::latest) continue;
    counter.value -= before.value(counter.group, counter.name);
  }
  return result;
}

std::string truth_text(const KernelCounters& counted, const RecordedRun& run) {
  configuration::TomlWriter writer;
  for (const model::CounterGroup& group : model::counter_groups()) {
    if (!has_table(counted, group)) continue;
    writer.table("[" + std::string(group.name) + "]");
    add_counters(writer, counted, group.name);
  }
  add_run(writer, run);
  add_counters(writer, counted, "run");
  return writer.result();
}

std::string truth_text(const XfsStatistics& counted, const RecordedRun& run) {
  configuration::TomlWriter writer;
  writer.table("[xfs]");
  writer.integer("trans_commit", static_cast<std::int64_t>(counted.trans_commit));
  writer.integer("iclog_writes", static_cast<std::int64_t>(counted.iclog_writes));
  writer.integer("log_blocks", static_cast<std::int64_t>(counted.log_blocks));
  add_run(writer, run);
  return writer.result();
}

}  // namespace fcsim::machine::record
