// The form for people: the answer, why, and what it rests on.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/questions/validate/snapshot_names.h"
#include "sim/report/report.h"
#include "traces/reader.h"

namespace fcsim::report {
namespace {

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// a / b with two decimals, rounded half up, by integers alone: the same digits on every machine.
std::string ratio(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t hundredths = (a * 200 + b) / (2 * b);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
}

std::uint64_t total(const engine::SyncCalls& calls) {
  return calls.fsync + calls.fdatasync + calls.msync + calls.sync_write + calls.dsync_write +
         calls.syncfs + calls.sync + calls.sync_file_range;
}

class TextReport {
 public:
  TextReport(const configuration::LoadedConfiguration& configuration,
             const engine::Prediction& prediction, const TextStyle& style)
      : configuration_(configuration), prediction_(prediction), style_(style) {}

  std::string write() {
    quality();
    answer();
    sync_calls();
    fast_commits();
    full_commits();
    fell_back();
    snapshot();
    tracker_memory();
    stages();
    list("What surprises", configuration_.notes);
    std::vector<std::string> assumed = configuration_.assumed;
    assumed.insert(assumed.end(), prediction_.assumed.begin(), prediction_.assumed.end());
    list("Assumed", assumed);
    unsupported();
    return std::move(text_);
  }

 private:
  // How far to trust what follows.
  void quality() {
    const engine::InputQuality& input = prediction_.quality;
    text_ += std::string("Input: ") + input.grade();
    const char* before = ": ";
    for (const std::string& what : input.lacking) text_ += std::exchange(before, "; ") + what;
    if (!input.unknown.empty()) {
      text_ += std::string(before) + "not known: ";
      before = "";
      for (const std::string& what : input.unknown) text_ += std::exchange(before, ", ") + what;
    }
    text_ += "\n";
    if (!input.lacking.empty())
      text_ +=
          "  a recording that has it: fcsim record -o BUNDLE -- COMMAND\n"
          "  or: " +
          std::string(traces::kRecordingRecipe) + "\n";
  }

  void answer() {
    text_ += bold(counted(total(prediction_.sync_calls), "sync call") + ": " +
                  counted(prediction_.commits, "fast commit") + ", " +
                  counted(prediction_.transactions, "full commit")) +
             "\n";
    if (!prediction_.has_journal)
      text_ += "There is no journal: nothing is committed.\n";
    else if (!prediction_.fast_commit_active && prediction_.stages.empty())
      text_ += "Fast commit is not active: every sync is a full commit.\n";
    text_ += "kernel rules: " + configuration_.values.kernel.profile + "\n";
  }

  void sync_calls() {
    const engine::SyncCalls& calls = prediction_.sync_calls;
    heading("Sync calls", total(calls));
    row("fsync", calls.fsync, "");
    row("fdatasync", calls.fdatasync, "");
    row("msync", calls.msync, "");
    row("sync write", calls.sync_write, "O_SYNC and RWF_SYNC");
    row("dsync write", calls.dsync_write, "O_DSYNC and RWF_DSYNC");
    row("syncfs", calls.syncfs, "");
    row("sync", calls.sync, "");
    row("sync_file_range", calls.sync_file_range, "commits nothing");
  }

  void fast_commits() {
    heading("Fast commits", prediction_.commits);
    if (prediction_.commits != 0)
      row("blocks", prediction_.numblks,
          ratio(prediction_.numblks, prediction_.commits) + " a fast commit");
    row("skipped", prediction_.skipped, "committed already");
  }

  void full_commits() {
    heading("Full commits", prediction_.transactions);
    for (std::size_t cause = 0; cause < model::kCauses; ++cause)
      row(std::string(model::kCauseNames[cause]), prediction_.causes[cause],
          std::string(explanation(static_cast<model::Cause>(cause))));
    if (prediction_.transactions == 0) return;
    row("requested", prediction_.requested, "somebody asked; the others are the timer's");
    row("blocks logged", prediction_.blocks_logged,
        ratio(prediction_.blocks_logged, prediction_.transactions) + " a full commit, limit " +
            std::to_string(prediction_.max_transaction_blocks));
  }

  void fell_back() {
    heading("Fell back to a full commit", prediction_.ineligible);
    for (const auto& [reason, count] : prediction_.reasons)
      row("\"" + reason + "\"", count, count == 1 ? "mark" : "marks");
  }

  void snapshot() {
    if (!prediction_.has_snapshot) return;
    text_ += "\n" + bold("Snapshots") + "\n";
    for (const questions::validate::SnapshotName& name : questions::validate::kSnapshotNames)
      row(std::string(name.text), prediction_.snapshot.*name.member,
          name.failure ? "refusals" : "copied");
  }

  // One span takes the same everywhere: 8 bytes.
  void tracker_memory() {
    const model::TrackerMemory& memory = prediction_.tracker_memory;
    if (memory.inodes == 0 ||
        configuration_.values.kernel.range_tracking.policy == model::TrackerPolicy::single_span)
      return;
    text_ += "\n" + bold("Memory of range trackers") + "\n";
    row("bytes of an inode, at most", memory.most,
        std::to_string(memory.bytes / memory.inodes) + " on average");
  }

  void stages() {
    if (prediction_.stages.empty()) return;
    text_ += "\n" + bold("Runs between an administrator's steps") + "\n";
    for (const engine::Stage& stage : prediction_.stages) {
      if (!stage.admin.empty()) text_ += "  " + stage.admin + "\n";
      text_ += "    " + counted(stage.counted.commits, "fast commit") + ", " +
               counted(stage.counted.transactions, "full commit") + ", fell back " +
               std::to_string(stage.counted.ineligible) + "\n";
    }
  }

  void unsupported() {
    if (prediction_.unsupported.empty()) return;
    text_ += "\n" + bold("Not seen (the answer is a bound)") + "\n";
    for (const auto& [what, count] : prediction_.unsupported) row(what, count, "");
  }

  void list(const std::string& title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    text_ += "\n" + bold(title) + "\n";
    for (const std::string& sentence : sentences) text_ += "  - " + sentence + "\n";
  }

  void heading(const std::string& title, std::uint64_t count) {
    text_ += "\n" + bold(title + ": " + std::to_string(count)) + "\n";
  }

  // Rows of 0 say nothing.
  void row(const std::string& name, std::uint64_t count, const std::string& remark) {
    if (count == 0) return;
    const std::string number = std::to_string(count);
    text_ += "  " + name + std::string(name.size() < 30 ? 30 - name.size() : 1, ' ');
    text_ += std::string(number.size() < 9 ? 9 - number.size() : 0, ' ') + number;
    text_ += (remark.empty() ? "" : "  " + remark) + "\n";
  }

  [[nodiscard]] std::string bold(const std::string& text) const {
    return style_.color ? "\033[1m" + text + "\033[0m" : text;
  }

  const configuration::LoadedConfiguration& configuration_;
  const engine::Prediction& prediction_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string_view explanation(model::Cause cause) {
  switch (cause) {
    case model::Cause::fast_commit_off:
      return "fast commit is not active";
    case model::Cause::first_commit:
      return "the first commit of a mount is a full one";
    case model::Cause::area_full:
      return "the fast commit did not fit into the area";
    case model::Cause::log_failed:
      return "the log could not be made: a file without extents was cut";
    case model::Cause::ineligible:
      return "something that fast commits cannot log";
    case model::Cause::snapshot_refused:
      return "inode state could not be copied";
    case model::Cause::directory_fsync:
      return "fsync of a directory or special file";
    case model::Cause::timer:
      return "the commit interval's timer";
    case model::Cause::expired:
      return "a call found the transaction past the interval";
    case model::Cause::sync:
      return "sync or syncfs";
    case model::Cause::synchronous_handle:
      return "sync or dirsync mount or file";
    case model::Cause::transaction_full:
      return "the transaction had reached its limit";
    case model::Cause::log_space:
      return "the log was full";
    case model::Cause::no_space:
      return "an allocation found no space";
    case model::Cause::administration:
      return "resize, freeze, remount and the like";
  }
  return "";
}

std::string text_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction, const TextStyle& style) {
  return TextReport(configuration, prediction, style).write();
}

}  // namespace fcsim::report
