#include "sim/report/named_counters.h"

#include "sim/questions/validate/snapshot_names.h"

namespace fcsim::report {
namespace {

void add_fc_info(std::vector<NamedCounter>& counters, const engine::Prediction& prediction) {
  counters.push_back({"fc_info", "commits", prediction.commits});
  counters.push_back({"fc_info", "ineligible", prediction.ineligible});
  counters.push_back({"fc_info", "numblks", prediction.numblks});
  for (const auto& [reason, count] : prediction.reasons)
    counters.push_back({"fc_info.reasons", reason, count});
  if (!prediction.has_snapshot) return;
  for (const questions::validate::SnapshotName& name : questions::validate::kSnapshotNames)
    counters.push_back(
        {"fc_info.snapshot", std::string(name.text), prediction.snapshot.*name.member});
}

void add_jbd2(std::vector<NamedCounter>& counters, const engine::Prediction& prediction) {
  counters.push_back({"jbd2", "transactions", prediction.transactions});
  counters.push_back({"jbd2", "requested", prediction.requested});
  counters.push_back({"jbd2", "blocks", prediction.blocks});
  counters.push_back({"jbd2", "blocks_logged", prediction.blocks_logged});
  counters.push_back({"jbd2", "handles", prediction.handles});
  counters.push_back({"jbd2", "max_transaction_blocks", prediction.max_transaction_blocks});
}

void add_sync_calls(std::vector<NamedCounter>& counters, const engine::SyncCalls& calls) {
  counters.push_back({"sync_calls", "fsync", calls.fsync});
  counters.push_back({"sync_calls", "fdatasync", calls.fdatasync});
  counters.push_back({"sync_calls", "msync", calls.msync});
  counters.push_back({"sync_calls", "sync_write", calls.sync_write});
  counters.push_back({"sync_calls", "dsync_write", calls.dsync_write});
  counters.push_back({"sync_calls", "syncfs", calls.syncfs});
  counters.push_back({"sync_calls", "sync", calls.sync});
  counters.push_back({"sync_calls", "sync_file_range", calls.sync_file_range});
}

}  // namespace

std::vector<NamedCounter> named_counters(const engine::Prediction& prediction) {
  std::vector<NamedCounter> counters;
  add_fc_info(counters, prediction);
  add_jbd2(counters, prediction);
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    counters.push_back(
        {"causes", std::string(model::kCauseNames[cause]), prediction.causes[cause]});
  add_sync_calls(counters, prediction.sync_calls);
  counters.push_back({"fast_commit", "skipped", prediction.skipped});
  counters.push_back({"fast_commit", "failed", prediction.failed});
  counters.push_back({"fast_commit", "directory_fsyncs", prediction.directory_fsyncs});
  counters.push_back({"trace", "operations", prediction.operations});
  return counters;
}

}  // namespace fcsim::report
