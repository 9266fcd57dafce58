#include <algorithm>

#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells)
    line += (line.empty() ? "" : ",") + support::csv_field(cell);
  return line + "\n";
}

class Lines {
 public:
  explicit Lines(const questions::explain::Explanation& explanation) : explanation_(explanation) {}

  std::string operator()(const questions::explain::ExplainedCommit* commit) const {
    const model::FullCommitRecord& record = commit->record;
    std::vector<std::string> cells = {"full",
                                      seconds(record.start, 9),
                                      seconds(record.start - explanation_.begin, 9),
                                      seconds(record.end - explanation_.begin, 9),
                                      std::to_string(record.tid),
                                      std::string(model::name(record.cause)),
                                      record.requested ? "1" : "0",
                                      std::to_string(record.fast_commits),
                                      std::to_string(record.blocks),
                                      std::to_string(record.blocks_logged)};
    add_call(commit->caused_by, cells);
    cells.push_back(explanation_.reason_of(record));
    const questions::explain::Call* const asked = explanation_.call(commit->asked_by);
    cells.push_back(asked == nullptr ? "" : std::to_string(asked->origin.line));
    cells.push_back(took_us(commit->took, ""));
    return line_of(cells);
  }

  std::string operator()(const questions::explain::ExplainedAttempt* attempt) const {
    const model::FastCommitRecord& record = attempt->record;
    std::vector<std::string> cells = {"fast",
                                      seconds(record.start, 9),
                                      seconds(record.start - explanation_.begin, 9),
                                      seconds(record.end - explanation_.begin, 9),
                                      std::to_string(record.tid),
                                      std::string(engine::outcome_name(record.outcome)),
                                      "",
                                      "",
                                      std::to_string(record.blocks),
                                      ""};
    add_call(attempt->asked_by, cells);
    const questions::explain::Call* const asked = explanation_.call(attempt->asked_by);
    cells.insert(cells.end(), {"", asked == nullptr ? "" : std::to_string(asked->origin.line),
                               took_us(attempt->took, "")});
    return line_of(cells);
  }

 private:
  void add_call(std::uint32_t index, std::vector<std::string>& cells) const {
    const questions::explain::Call* const call = explanation_.call(index);
    if (call == nullptr) {
      cells.insert(cells.end(), 6, "");
      return;
    }
    cells.insert(cells.end(), {std::to_string(call->origin.pid), program_of(explanation_, *call),
                               name_of(explanation_, *call), path_of(explanation_, *call),
                               explanation_.trace_files[call->origin.source],
                               std::to_string(call->origin.line)});
  }

  const questions::explain::Explanation& explanation_;
};

}  // namespace

std::string explain_csv(const questions::explain::Explanation& explanation, std::size_t limit) {
  std::string text =
      "kind,time,seconds,end_seconds,tid,cause,requested,fast_commits_ended,blocks,blocks_logged,"
      "pid,program,call,path,file,line,reason,asked_by_line,asked_by_us\n";
  const std::vector<ExplainedEvent> events = events_in_order(explanation);
  const std::size_t shown = limit == 0 ? events.size() : std::min(limit, events.size());
  const Lines lines(explanation);
  for (std::size_t i = 0; i < shown; ++i) text += std::visit(lines, events[i]);
  return text;
}

}  // namespace fcsim::report
