// The kernel's own files as the kernel prints them (fs/ext4/fast_commit.c, ext4_fc_info_show;
// fs/jbd2/journal.c, jbd2_seq_info_show).
#include <initializer_list>
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

std::string line(std::uint64_t value, std::string_view text) {
  return std::to_string(value) + std::string(text) + "\n";
}

// The heading and the counters of the group under it.
std::string lines_under(std::string_view heading, std::string_view group,
                        const engine::Prediction& prediction) {
  std::string text = heading.empty() ? "" : std::string(heading) + "\n";
  for (const model::Counter& counter : model::counter_group(group).counters)
    if (counter.heading == heading)
      text += line(counter.value.read(prediction), " " + std::string(counter.name));
  return text;
}

}  // namespace

std::string fc_info_report(const engine::Prediction& prediction) {
  std::string text = "fc stats:\n";
  text += lines_under("", "fc_info", prediction);
  text += "0us avg_commit_time\nIneligible reasons:\n";
  for (const auto& [reason, count] : prediction.reasons)
    text += "\"" + reason + "\":\t" + std::to_string(count) + "\n";
  if (!prediction.has_snapshot) return text;
  text += lines_under("Snapshot stats:", "fc_info.snapshot", prediction);
  text += "0us lock_updates_avg\n0us lock_updates_max\n";
  return text + lines_under("Snapshot failures:", "fc_info.snapshot", prediction);
}

std::string jbd2_info_report(const engine::Prediction& prediction) {
  if (!prediction.has_journal) return "";
  const std::uint64_t count = prediction.transactions;
  std::string text = std::to_string(count) + " transactions (" +
                     std::to_string(prediction.requested) + " requested), each up to " +
                     std::to_string(prediction.max_transaction_blocks) + " blocks\n";
  if (count == 0) return text;
  text += "average: \n";
  for (const char* phase :
       {"waiting for transaction", "request delay", "running transaction",
        "transaction was being locked", "flushing data (in ordered mode)", "logging transaction"})
    text += std::string("  0ms ") + phase + "\n";
  text += "  0us average transaction commit time\n";
  text += "  " + line(prediction.handles / count, " handles per transaction");
  text += "  " + line(prediction.blocks / count, " blocks per transaction");
  text += "  " + line(prediction.blocks_logged / count, " logged blocks per transaction");
  return text;
}

// fs/xfs/xfs_stats.c; half of the forces' trace events are counted there.
std::string xfs_stats_report(const engine::Prediction& prediction) {
  const model::XfsCounters& xfs = prediction.xfs;
  const auto joined = [](std::string_view name, std::initializer_list<std::uint64_t> values) {
    std::string text(name);
    for (const std::uint64_t value : values) text += " " + std::to_string(value);
    return text + "\n";
  };
  return joined("trans", {xfs.trans_sync, xfs.trans_commit - xfs.trans_sync, 0}) +
         joined("log",
                {xfs.iclog_writes, xfs.log_blocks, 0, xfs.log_force / 2, xfs.log_force_sleep});
}

std::string kernel_report(const engine::Prediction& prediction) {
  if (prediction.has_xfs) return xfs_stats_report(prediction);
  return fc_info_report(prediction) + jbd2_info_report(prediction);
}

}  // namespace fcsim::report
