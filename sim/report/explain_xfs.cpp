// XFS: each log write with the call that forced it and whose changes went along, and each sync call
// without one, and why.
#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "model/common/counter_table.h"
#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using questions::explain::Call;
using questions::explain::Explanation;
using support::counted;

std::string_view reason_text(model::SyncReason reason) {
  switch (reason) {
    case model::SyncReason::changes:
      return "something was not on disk";
    case model::SyncReason::nothing_pending:
      return "nothing was pending";
    case model::SyncReason::timestamps_only:
      return "only timestamps were pending";
    case model::SyncReason::written_by_another:
      return "another call was writing it";
    case model::SyncReason::data_only:
      return "the call writes data alone";
  }
  return "";
}

std::string_view result_text(model::SyncResult result) {
  return result == model::SyncResult::flush_only ? "flush only" : "nothing";
}

std::string_view cause_text(model::CheckpointCause cause) {
  for (const model::CounterGroup& group : model::counter_groups())
    if (group.name == "xfs.causes") return group.counters[static_cast<std::size_t>(cause)].remark;
  assert(false);
  return "";
}

const Call* call_of(const Explanation& explanation, const model::Origin& origin) {
  return explanation.call(explanation.traced.find(origin));
}

// pid and program, call, path, line.
void add_call(const Explanation& explanation, const model::Origin& origin,
              std::vector<std::string>& cells) {
  const Call* const call = call_of(explanation, origin);
  if (call == nullptr) {
    cells.insert(cells.end(), {"-", "the kernel", "-", "-"});
    return;
  }
  const std::string& program = program_of(explanation, *call);
  const std::string& path = path_of(explanation, *call);
  cells.push_back(std::to_string(call->origin.pid) + (program.empty() ? "" : " " + program));
  cells.push_back(name_of(explanation, *call));
  cells.push_back(path.empty() ? "-" : path);
  cells.push_back(place(explanation, *call));
}

// Whose transactions went along, and how many: "write of 100", most first.
std::vector<std::pair<std::string, std::uint64_t>> contents(const Explanation& explanation,
                                                            const model::CheckpointRecord& record) {
  std::map<std::string, std::uint64_t> counts;
  for (const model::Origin& change : record.changes) {
    const Call* const call = call_of(explanation, change);
    ++counts[call == nullptr
                 ? "the kernel"
                 : name_of(explanation, *call) + " of " + std::to_string(call->origin.pid)];
  }
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string contents_text(const Explanation& explanation, const model::CheckpointRecord& record) {
  std::string text;
  for (const auto& [name, count] : contents(explanation, record))
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " by " + name;
  return text;
}

Table log_write_table(const Explanation& explanation, std::size_t shown) {
  Table table({"seconds", "cause", "bytes", "buffers", "pid", "call", "path", "line",
               "transactions that went along"},
              {false, true, false, false, true, true, true, true, true});
  for (std::size_t i = 0; i < shown; ++i) {
    const model::CheckpointRecord& record = explanation.prediction.checkpoints[i];
    std::vector<std::string> cells = {support::seconds_text(record.start - explanation.begin, 6),
                                      std::string(model::name(record.cause)),
                                      std::to_string(record.bytes), std::to_string(record.iclogs)};
    add_call(explanation, record.origin, cells);
    cells.push_back(contents_text(explanation, record));
    table.add(std::move(cells));
  }
  return table;
}

std::size_t at_most(std::size_t count, std::size_t limit) {
  return limit == 0 ? count : std::min(count, limit);
}

void add_log_writes(Document& document, const Explanation& explanation, std::size_t limit) {
  const std::size_t count = explanation.prediction.checkpoints.size();
  if (count == 0) return;
  const std::size_t shown = at_most(count, limit);
  document.heading("Log writes");
  document.table(log_write_table(explanation, shown));
  if (shown < count) document.line("and " + std::to_string(count - shown) + " more");
}

void add_without_log_write(Document& document, const Explanation& explanation, std::size_t limit) {
  std::map<std::pair<model::SyncResult, model::SyncReason>, std::uint64_t> counts;
  std::vector<const model::SyncRecord*> records;
  for (const model::SyncRecord& record : explanation.prediction.syncs) {
    if (record.result == model::SyncResult::log_write) continue;
    ++counts[{record.result, record.reason}];
    records.push_back(&record);
  }
  if (records.empty()) return;
  document.heading("Sync calls without a log write");
  for (const auto& [what, count] : counts)
    document.count(std::string(result_text(what.first)), count,
                   std::string(reason_text(what.second)));
  Table table({"seconds", "led to", "why", "pid", "call", "path", "line"},
              {false, true, true, true, true, true, true});
  const std::size_t shown = at_most(records.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = {support::seconds_text(records[i]->end - explanation.begin, 6),
                                      std::string(result_text(records[i]->result)),
                                      std::string(reason_text(records[i]->reason))};
    add_call(explanation, records[i]->origin, cells);
    table.add(std::move(cells));
  }
  document.table(std::move(table));
  if (shown < records.size())
    document.line("and " + std::to_string(records.size() - shown) + " more");
}

support::Json seconds_json(model::Time time) {
  return support::json_decimal(static_cast<double>(time) / 1e9, 9);
}

}  // namespace

Document explain_xfs_document(const Explanation& explanation, std::size_t limit) {
  const engine::Prediction& prediction = explanation.prediction;
  Document document(
      counted(prediction.block_device.log_writes, "log write") + ", " +
      std::to_string(prediction.block_device.empty_flushes) +
      (prediction.block_device.empty_flushes == 1 ? " empty flush" : " empty flushes") +
      ", by the rules of kernel " + explanation.configuration.values.kernel.profile);
  if (explanation.filtered) document.line("Only what the selected calls led to is listed.");
  for (std::size_t cause = 0; cause < model::kCheckpointCauses; ++cause)
    document.count(std::string(model::kCheckpointCauseNames[cause]), prediction.xfs.causes[cause],
                   std::string(cause_text(static_cast<model::CheckpointCause>(cause))));
  document.line("Seconds from " + support::seconds_text(explanation.begin, 6) +
                ", the first line's time");
  add_log_writes(document, explanation, limit);
  add_without_log_write(document, explanation, limit);
  return document;
}

std::string explain_xfs_csv(const Explanation& explanation, std::size_t limit) {
  return csv_of(
      log_write_table(explanation, at_most(explanation.prediction.checkpoints.size(), limit)));
}

std::string explain_xfs_json(const Explanation& explanation, std::size_t limit) {
  const engine::Prediction& prediction = explanation.prediction;
  support::Json writes = support::Json::array();
  const std::size_t shown = at_most(prediction.checkpoints.size(), limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::CheckpointRecord& record = prediction.checkpoints[i];
    support::Json transactions = support::Json::object();
    for (const auto& [name, count] : contents(explanation, record)) transactions[name] = count;
    writes.push_back({{"seconds", seconds_json(record.start - explanation.begin)},
                      {"cause", std::string(model::name(record.cause))},
                      {"bytes", record.bytes},
                      {"buffers", record.iclogs},
                      {"forced_by", call_json(explanation, call_of(explanation, record.origin))},
                      {"transactions", std::move(transactions)}});
  }
  support::Json syncs = support::Json::array();
  for (const model::SyncRecord& record : prediction.syncs)
    if (record.result != model::SyncResult::log_write && (limit == 0 || syncs.size() < limit))
      syncs.push_back({{"seconds", seconds_json(record.end - explanation.begin)},
                       {"led_to", std::string(result_text(record.result))},
                       {"why", std::string(reason_text(record.reason))},
                       {"call", call_json(explanation, call_of(explanation, record.origin))}});
  const support::Json root = {{"kernel", explanation.configuration.values.kernel.profile},
                              {"trace_begin", seconds_json(explanation.begin)},
                              {"log_writes", std::move(writes)},
                              {"without_log_write", std::move(syncs)}};
  return support::json_text(root);
}

}  // namespace fcsim::report
