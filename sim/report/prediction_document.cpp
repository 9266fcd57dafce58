// The form for people: the answer, why, and what it rests on.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/report/latency_report.h"
#include "sim/report/report.h"
#include "sim/support/text.h"
#include "traces/reader.h"

namespace fcsim::report {
namespace {

using support::counted;
using support::ratio;

class PredictionDocument {
 public:
  PredictionDocument(const configuration::LoadedConfiguration& configuration,
                     const engine::Prediction& prediction)
      : configuration_(configuration), prediction_(prediction), document_(answer(prediction)) {}

  Document write() {
    quality();
    circumstances();
    sync_calls();
    add_latency(document_, prediction_.latency);
    fast_commits();
    full_commits();
    fell_back();
    snapshot();
    tracker_memory();
    stages();
    add_basis(document_, configuration_, prediction_);
    return std::move(document_);
  }

 private:
  static std::string answer(const engine::Prediction& prediction) {
    return counted(model::total_sync_calls(prediction), "sync call") + ": " +
           counted(prediction.commits, "fast commit") + ", " +
           counted(prediction.transactions, "full commit");
  }

  void circumstances() {
    if (!prediction_.has_journal)
      document_.line("There is no journal: nothing is committed.");
    else if (!prediction_.fast_commit_active && prediction_.stages.empty())
      document_.line("Fast commit is not active: every sync is a full commit.");
    document_.line("kernel rules: " + configuration_.values.kernel.profile);
  }

  // How far to trust what follows.
  void quality() {
    const engine::InputQuality& input = prediction_.quality;
    std::string text = std::string("Input: ") + input.grade();
    const char* before = ": ";
    for (const std::string& what : input.lacking) text += std::exchange(before, "; ") + what;
    if (!input.unknown.empty()) {
      text += std::string(before) + "not known: ";
      before = "";
      for (const std::string& what : input.unknown) text += std::exchange(before, ", ") + what;
    }
    document_.preface(text);
    if (input.lacking.empty()) return;
    document_.preface("a recording that has it: fcsim record -o BUNDLE -- COMMAND", 1);
    document_.preface("or: " + std::string(traces::kRecordingRecipe), 1);
  }

  void sync_calls() {
    heading("Sync calls", model::total_sync_calls(prediction_));
    counts_of("sync_calls");
  }

  void fast_commits() {
    heading("Fast commits", prediction_.commits);
    if (prediction_.commits != 0)
      document_.count("blocks", prediction_.numblks,
                      ratio(prediction_.numblks, prediction_.commits) + " a fast commit");
    document_.count("skipped", prediction_.skipped, "committed already");
  }

  void full_commits() {
    heading("Full commits", prediction_.transactions);
    counts_of("causes");
    if (prediction_.transactions == 0) return;
    document_.count("requested", prediction_.requested,
                    "requested by a caller; the rest by the commit timer");
    document_.count("blocks logged", prediction_.blocks_logged,
                    ratio(prediction_.blocks_logged, prediction_.transactions) +
                        " a full commit, limit " +
                        std::to_string(prediction_.max_transaction_blocks));
  }

  void fell_back() {
    heading("Fast commits that fell back to a full commit", prediction_.ineligible);
    for (const auto& [reason, count] : prediction_.reasons)
      document_.count("\"" + reason + "\"", count, count == 1 ? "mark" : "marks");
  }

  void snapshot() {
    if (!prediction_.has_snapshot) return;
    document_.heading("Snapshots");
    counts_of("fc_info.snapshot");
  }

  // One span takes the same everywhere: 8 bytes.
  void tracker_memory() {
    const model::TrackerMemory& memory = prediction_.tracker_memory;
    if (memory.inodes == 0 ||
        configuration_.values.kernel.range_tracking.policy == model::TrackerPolicy::single_span)
      return;
    document_.heading("Memory of range trackers");
    document_.count("bytes of an inode, at most", memory.most,
                    std::to_string(memory.bytes / memory.inodes) + " on average");
  }

  void stages() {
    if (prediction_.stages.empty()) return;
    document_.heading("Runs between an administrator's steps");
    for (const engine::Stage& stage : prediction_.stages) {
      if (!stage.admin.empty()) document_.line(stage.admin, 1);
      document_.line(counted(stage.counted.commits, "fast commit") + ", " +
                         counted(stage.counted.transactions, "full commit") + ", " +
                         std::to_string(stage.counted.ineligible) + " fell back",
                     2);
    }
  }

  void heading(const std::string& title, std::uint64_t count) {
    document_.heading(title + ": " + std::to_string(count));
  }

  void counts_of(std::string_view group) {
    for (const model::Counter& counter : model::counter_group(group).counters)
      document_.count(std::string(counter.title()), counter.value.read(prediction_),
                      std::string(counter.remark));
  }

  const configuration::LoadedConfiguration& configuration_;
  const engine::Prediction& prediction_;
  Document document_;
};

}  // namespace

void add_basis(Document& document, const configuration::LoadedConfiguration& configuration,
               const engine::Prediction& prediction) {
  document.list("Notes", configuration.notes);
  std::vector<std::string> assumed = configuration.assumed;
  assumed.insert(assumed.end(), prediction.assumed.begin(), prediction.assumed.end());
  document.list("Assumed", assumed);
  if (prediction.unsupported.empty()) return;
  document.heading("Not visible in the trace (so the result is only a bound)");
  for (const auto& [what, count] : prediction.unsupported) document.count(what, count);
}

Document prediction_document(const configuration::LoadedConfiguration& configuration,
                             const engine::Prediction& prediction) {
  return PredictionDocument(configuration, prediction).write();
}

}  // namespace fcsim::report
