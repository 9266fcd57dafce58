// The two /proc files as the kernel prints them (fs/ext4/fast_commit.c, ext4_fc_info_show;
// fs/jbd2/journal.c, jbd2_seq_info_show).
#include "sim/questions/validate/snapshot_names.h"
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

std::string line(std::uint64_t value, std::string_view text) {
  return std::to_string(value) + std::string(text) + "\n";
}

}  // namespace

std::string fc_info_report(const engine::Prediction& prediction) {
  std::string text = "fc stats:\n";
  text += line(prediction.commits, " commits");
  text += line(prediction.ineligible, " ineligible");
  text += line(prediction.numblks, " numblks");
  text += line(0, "us avg_commit_time");  // the device's, which is not predicted
  text += "Ineligible reasons:\n";
  for (const auto& [reason, count] : prediction.reasons)
    text += "\"" + reason + "\":\t" + std::to_string(count) + "\n";
  if (!prediction.has_snapshot) return text;
  text += "Snapshot stats:\n";
  for (const questions::validate::SnapshotName& name : questions::validate::kSnapshotNames)
    if (!name.failure) text += line(prediction.snapshot.*name.member, " " + std::string(name.text));
  text += "0us lock_updates_avg\n0us lock_updates_max\n";
  text += "Snapshot failures:\n";
  for (const questions::validate::SnapshotName& name : questions::validate::kSnapshotNames)
    if (name.failure) text += line(prediction.snapshot.*name.member, " " + std::string(name.text));
  return text;
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

}  // namespace fcsim::report
