#include <algorithm>

#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/report/latency_report.h"
#include "sim/support/json.h"

namespace fcsim::report {
namespace {

std::string text_member(const char* name, std::string_view value) {
  return ", \"" + std::string(name) + "\": " + support::json_string(value);
}

std::string member(const char* name, std::uint64_t value) {
  return ", \"" + std::string(name) + "\": " + std::to_string(value);
}

template <class Items, class Write>
std::string array_of(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n  " : ",\n  ") + write(item);
  return "[" + text + "]";
}

std::string call_json(const questions::explain::Explanation& explanation, std::uint32_t index) {
  const questions::explain::Call* const call = explanation.call(index);
  if (call == nullptr) return "null";
  return "{\"file\": " + support::json_string(explanation.trace_files[call->origin.source]) +
         member("line", call->origin.line) + ", \"pid\": " + std::to_string(call->origin.pid) +
         text_member("program", program_of(explanation, *call)) +
         text_member("call", name_of(explanation, *call)) +
         text_member("path", path_of(explanation, *call)) + "}";
}

class Objects {
 public:
  explicit Objects(const questions::explain::Explanation& explanation)
      : explanation_(explanation) {}

  std::string operator()(const questions::explain::ExplainedCommit* commit) const {
    const model::FullCommitRecord& record = commit->record;
    return "{\"kind\": \"full\"" + times(record.start, record.end) + member("tid", record.tid) +
           text_member("cause", model::name(record.cause)) +
           ", \"requested\": " + (record.requested ? "true" : "false") +
           member("fast_commits_ended", record.fast_commits) + member("blocks", record.blocks) +
           member("blocks_logged", record.blocks_logged) + member("handles", record.handles) +
           text_member("reason", explanation_.reason_of(record)) + us(commit->took) +
           ", \"caused_by\": " + call_json(explanation_, commit->caused_by) +
           ", \"asked_by\": " + call_json(explanation_, commit->asked_by) + "}";
  }

  std::string operator()(const questions::explain::ExplainedAttempt* attempt) const {
    const model::FastCommitRecord& record = attempt->record;
    return "{\"kind\": \"fast\"" + times(record.start, record.end) + member("tid", record.tid) +
           text_member("outcome", engine::outcome_name(record.outcome)) +
           member("blocks", record.blocks) + member("inodes", record.inodes) +
           member("ranges", record.ranges) + member("names", record.names) + us(attempt->took) +
           ", \"asked_by\": " + call_json(explanation_, attempt->asked_by) + "}";
  }

 private:
  [[nodiscard]] std::string times(model::Time start, model::Time end) const {
    return ", \"time\": " + seconds(start, 9) +
           ", \"seconds\": " + seconds(start - explanation_.begin, 9) +
           ", \"end_seconds\": " + seconds(end - explanation_.begin, 9);
  }

  [[nodiscard]] static std::string us(model::Time took) {
    return ", \"asked_by_us\": " + took_us(took, "null");
  }

  const questions::explain::Explanation& explanation_;
};

std::string timed_json(const questions::explain::TimedShare& share) {
  return support::json_line(
      {{"name", share.name}, {"pids", share.pids}, {"latency", latency_json(share.latency)}});
}

std::string share_json(const questions::explain::Share& share) {
  return "\"full_commits\": " + std::to_string(share.commits) +
         member("fast_commits_ended", share.fast_commits) +
         member("blocks_logged", share.blocks_logged);
}

std::string named_json(const questions::explain::NamedShare& share) {
  std::string pids;
  for (const std::int32_t pid : share.pids)
    pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
  std::string causes;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (share.causes[cause] != 0)
      causes += (causes.empty() ? "" : ", ") + support::json_string(model::kCauseNames[cause]) +
                ": " + std::to_string(share.causes[cause]);
  return "{" + share_json(share.share) + text_member("name", share.name) + ", \"pids\": [" + pids +
         "], \"causes\": {" + causes + "}}";
}

std::string cause_json(const questions::explain::Explanation& explanation,
                       const questions::explain::CauseShare& share) {
  const engine::Distribution& price =
      explanation.prices.full[static_cast<std::size_t>(share.cause)];
  std::string marks;
  for (const questions::explain::CauseShare::Mark& mark : share.marks)
    marks += (marks.empty() ? "" : ", ") + std::string("{\"reason\": ") +
             support::json_string(mark.reason) + text_member("call", mark.call) +
             member("full_commits", mark.commits) + "}";
  return "{" + share_json(share.share) + text_member("cause", model::name(share.cause)) +
         ", \"marks\": [" + marks + "]" +
         ", \"median_us\": " + (price.count() == 0 ? "null" : microseconds(price.percentile(0.5))) +
         text_member("advice", explain_advice(explanation, share)) + "}";
}

}  // namespace

std::string explain_json(const questions::explain::Explanation& explanation, std::size_t limit) {
  std::vector<ExplainedEvent> events = events_in_order(explanation);
  const std::size_t all = events.size();
  if (limit != 0) events.resize(std::min(limit, all));
  const Objects objects(explanation);
  const auto write_event = [&](const ExplainedEvent& event) { return std::visit(objects, event); };
  const auto write_cause = [&](const questions::explain::CauseShare& share) {
    return cause_json(explanation, share);
  };
  return "{\n\"kernel\": " + support::json_string(explanation.configuration.values.kernel.profile) +
         ",\n\"trace_begin\": " + seconds(explanation.begin, 9) +
         ",\n\"full_commits\": " + std::to_string(explanation.prediction.transactions) +
         ",\n\"fast_commits\": " + std::to_string(explanation.prediction.commits) +
         ",\n\"left_out\": " + std::to_string(all - events.size()) +
         ",\n\"commits\": " + array_of(events, write_event) +
         ",\n\"causes\": " + array_of(explanation.causes, write_cause) +
         ",\n\"programs\": " + array_of(explanation.programs, named_json) +
         ",\n\"files\": " + array_of(explanation.files, named_json) +
         ",\n\"program_latency\": " + array_of(explanation.program_times, timed_json) +
         ",\n\"file_latency\": " + array_of(explanation.file_times, timed_json) + "\n}\n";
}

}  // namespace fcsim::report
