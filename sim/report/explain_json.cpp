#include <algorithm>

#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/report/json_parts.h"
#include "sim/report/latency_report.h"
#include "sim/support/json.h"

namespace fcsim::report {
namespace {

using support::Json;

class CommitToJson {
 public:
  explicit CommitToJson(const questions::explain::Explanation& explanation)
      : explanation_(explanation) {}

  Json operator()(const questions::explain::ExplainedCommit* commit) const {
    const model::FullCommitRecord& record = commit->record;
    Json object = {{"kind", "full"}};
    add_times(object, record.start, record.end);
    object["tid"] = record.tid;
    object["cause"] = model::name(record.cause);
    object["requested"] = record.requested;
    object["fast_commits_ended"] = record.fast_commits;
    object["blocks"] = record.blocks;
    object["blocks_logged"] = record.blocks_logged;
    object["handles"] = record.handles;
    object["reason"] = explanation_.reason_of(record);
    object["asked_by_us"] = took_json(commit->took);
    object["caused_by"] = call_json(explanation_, explanation_.call(commit->caused_by));
    object["asked_by"] = call_json(explanation_, explanation_.call(commit->asked_by));
    return object;
  }

  Json operator()(const questions::explain::ExplainedAttempt* attempt) const {
    const model::FastCommitRecord& record = attempt->record;
    Json object = {{"kind", "fast"}};
    add_times(object, record.start, record.end);
    object["tid"] = record.tid;
    object["outcome"] = engine::outcome_name(record.outcome);
    object["blocks"] = record.blocks;
    object["inodes"] = record.inodes;
    object["ranges"] = record.ranges;
    object["names"] = record.names;
    object["asked_by_us"] = took_json(attempt->took);
    object["asked_by"] = call_json(explanation_, explanation_.call(attempt->asked_by));
    return object;
  }

 private:
  void add_times(Json& object, model::Time start, model::Time end) const {
    object["time"] = support::json_seconds(start);
    object["seconds"] = support::json_seconds(start - explanation_.begin);
    object["end_seconds"] = support::json_seconds(end - explanation_.begin);
  }

  [[nodiscard]] static Json took_json(model::Time took) {
    return Json::parse(took_us(took, "null"));
  }

  const questions::explain::Explanation& explanation_;
};

Json timed_json(const questions::explain::TimedShare& share) {
  return {{"name", share.name}, {"pids", share.pids}, {"latency", latency_json(share.latency)}};
}

Json share_json(const questions::explain::Share& share) {
  return {{"full_commits", share.commits},
          {"fast_commits_ended", share.fast_commits},
          {"blocks_logged", share.blocks_logged}};
}

Json named_share_json(const questions::explain::NamedShare& share) {
  Json object = share_json(share.share);
  object["name"] = share.name;
  object["pids"] = share.pids;
  object["causes"] = causes_json(share.causes);
  return object;
}

Json cause_share_json(const questions::explain::Explanation& explanation,
                      const questions::explain::CauseShare& share) {
  Json object = share_json(share.share);
  object["cause"] = model::name(share.cause);
  Json& marks = object["marks"] = Json::array();
  for (const questions::explain::CauseShare::Mark& mark : share.marks)
    marks.push_back({{"reason", mark.reason}, {"call", mark.call}, {"full_commits", mark.commits}});
  const engine::Distribution& price =
      explanation.prices.full[static_cast<std::size_t>(share.cause)];
  object["median_us"] =
      price.count() == 0 ? Json(nullptr) : Json::parse(microseconds(price.percentile(0.5)));
  object["advice"] = explain_advice(explanation, share);
  return object;
}

}  // namespace

std::string explain_json(const questions::explain::Explanation& explanation, std::size_t limit) {
  if (explanation.prediction.has_xfs) return explain_xfs_json(explanation, limit);
  std::vector<ExplainedEvent> events = events_in_order(explanation);
  const std::size_t all = events.size();
  if (limit != 0) events.resize(std::min(limit, all));
  const CommitToJson to_json(explanation);
  support::JsonLines lines;
  lines.member("kernel", explanation.configuration.values.kernel.profile);
  lines.member("trace_begin", support::json_seconds(explanation.begin));
  lines.member("full_commits", explanation.prediction.transactions);
  lines.member("fast_commits", explanation.prediction.commits);
  lines.member("left_out", all - events.size());
  lines.list("commits", events,
             [&](const ExplainedEvent& event) { return std::visit(to_json, event); });
  lines.list("causes", explanation.causes, [&](const questions::explain::CauseShare& share) {
    return cause_share_json(explanation, share);
  });
  lines.list("programs", explanation.programs, named_share_json);
  lines.list("files", explanation.files, named_share_json);
  lines.list("program_latency", explanation.program_times, timed_json);
  lines.list("file_latency", explanation.file_times, timed_json);
  return std::move(lines).result();
}

}  // namespace fcsim::report
