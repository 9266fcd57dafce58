// The form for people.
#include <algorithm>

#include "sim/report/document.h"
#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/report/latency_report.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

constexpr std::size_t kSharesShown = 10;  // the JSON form has them all

using support::counted;

std::string who(const questions::explain::Explanation& explanation,
                const questions::explain::Call& call) {
  const std::string& program = program_of(explanation, call);
  return std::to_string(call.origin.pid) + (program.empty() ? "" : " " + program);
}

// What one call did, as cells: pid and program, call, path, line.
void add_call(const questions::explain::Explanation& explanation,
              const questions::explain::Call& call, std::vector<std::string>& cells) {
  const std::string& path = path_of(explanation, call);
  cells.push_back(who(explanation, call));
  cells.push_back(name_of(explanation, call));
  cells.push_back(path.empty() ? "-" : path);
  cells.push_back(place(explanation, call));
}

std::string remark_of(const questions::explain::Explanation& explanation,
                      const questions::explain::ExplainedCommit& commit) {
  if (commit.record.cause != model::Cause::ineligible) return "";
  std::string remark = explanation.reason_of(commit.record);
  if (!remark.empty()) remark = "\"" + remark + "\"";
  const questions::explain::Call* const asked = explanation.call(commit.asked_by);
  if (asked != nullptr && commit.asked_by != commit.caused_by)
    remark += ", " + name_of(explanation, *asked) + " on line " +
              std::to_string(asked->origin.line) + " requested it";
  return remark;
}

class Lines {
 public:
  explicit Lines(const questions::explain::Explanation& explanation)
      : explanation_(explanation),
        table_({"seconds", "tid", "cause", "ended", "blocks", "us", "pid", "call", "path", "line"},
               {false, false, true, false, false, false, true, true, true, true}) {}

  void operator()(const questions::explain::ExplainedCommit* commit) {
    const model::FullCommitRecord& record = commit->record;
    std::vector<std::string> cells = {
        seconds(record.start - explanation_.begin, 6), std::to_string(record.tid),
        std::string(model::name(record.cause)),        std::to_string(record.fast_commits),
        std::to_string(record.blocks_logged),          took_us(commit->took, "-")};
    if (const questions::explain::Call* const call = explanation_.call(commit->caused_by))
      add_call(explanation_, *call, cells);
    else
      cells.insert(cells.end(), {"-", std::string(kernel_caller(record)), "-", "-"});
    table_.add(std::move(cells), remark_of(explanation_, *commit));
  }

  void operator()(const questions::explain::ExplainedAttempt* attempt) {
    const model::FastCommitRecord& record = attempt->record;
    const bool ok = record.outcome == model::Outcome::ok;
    std::vector<std::string> cells = {
        seconds(record.start - explanation_.begin, 6),
        std::to_string(record.tid),
        ok ? "+" : "+ " + std::string(engine::outcome_name(record.outcome)),
        "-",
        ok ? std::to_string(record.blocks) : "-",
        took_us(attempt->took, "-")};
    if (const questions::explain::Call* const call = explanation_.call(attempt->asked_by))
      add_call(explanation_, *call, cells);
    else
      cells.insert(cells.end(), {"-", "-", "-", "-"});
    table_.add(std::move(cells), ok ? counted(record.inodes, "inode") + ", " +
                                          counted(record.ranges, "range") + ", " +
                                          counted(record.names, "name")
                                    : "");
  }

  Table take() { return std::move(table_); }

 private:
  const questions::explain::Explanation& explanation_;
  Table table_;
};

std::string headline(const questions::explain::Explanation& explanation) {
  const engine::Prediction& prediction = explanation.prediction;
  return counted(prediction.transactions, "full commit") + ", " +
         counted(prediction.commits, "fast commit") + ", by the rules of kernel " +
         explanation.configuration.values.kernel.profile;
}

void add_selection(Document& document, const questions::explain::Explanation& explanation) {
  if (!explanation.prediction.has_journal)
    document.line("There is no journal: nothing is committed.");
  else if (explanation.filtered)
    document.line(counted(explanation.commits.size(), "full commit") +
                  " selected; everything below is about " +
                  (explanation.commits.size() == 1 ? "it" : "them") + " alone");
}

void add_legend(Document& document, bool attempts) {
  document.line(
      "ended: fast commits of the transaction; blocks: logged; us: of the call that asked");
  document.line("for it; call: what caused it");
  if (!attempts) return;
  document.line(
      "+: a fast commit and its blocks of the area, or why an fsync became none: ineligible");
  document.line(
      "(marked), failed (no room, or the first commit of the mount), skipped (committed already)");
}

void add_list(Document& document, const questions::explain::Explanation& explanation,
              std::size_t limit) {
  const std::vector<ExplainedEvent> events = events_in_order(explanation);
  if (events.empty()) return;
  const std::size_t shown = limit == 0 ? events.size() : std::min(limit, events.size());
  Lines lines(explanation);
  for (std::size_t i = 0; i < shown; ++i) std::visit(lines, events[i]);
  document.gap();
  document.line("Seconds from " + seconds(explanation.begin, 6) + ", the first line's time");
  add_legend(document, !explanation.attempts.empty());
  document.table(lines.take());
  if (shown < events.size())
    document.line("and " + std::to_string(events.size() - shown) + " more");
}

std::string median_us(const engine::Distribution& times) {
  return times.count() == 0 ? "-" : microseconds(times.percentile(0.5));
}

void add_causes(Document& document, const questions::explain::Explanation& explanation) {
  Table table({"full commits", "ended", "blocks", "us", "cause"},
              {false, false, false, false, true});
  for (const questions::explain::CauseShare& cause : explanation.causes)
    table.add({std::to_string(cause.share.commits), std::to_string(cause.share.fast_commits),
               std::to_string(cause.share.blocks_logged),
               median_us(explanation.prices.full[static_cast<std::size_t>(cause.cause)]),
               std::string(model::name(cause.cause))},
              "(" + std::string(model::explanation(cause.cause)) + ")");
  document.heading("By cause");
  document.table(std::move(table));
  const engine::Distribution& fast = explanation.prices.fast;
  if (fast.count() == 0) return;
  document.line("us: the median of the calls that asked for them, " +
                std::string(explanation.prediction.latency.predicted ? "predicted" : "recorded") +
                "; a call with a fast commit: " + median_us(fast) + " us");
}

std::string causes_of(const questions::explain::NamedShare& share) {
  std::vector<std::pair<std::uint64_t, std::string>> causes;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (share.causes[cause] != 0)
      causes.emplace_back(share.causes[cause], std::string(model::kCauseNames[cause]));
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, name] : causes)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

std::string pids_of(const questions::explain::NamedShare& share) {
  return share.pids.size() == 1 ? std::to_string(share.pids.front())
                                : counted(share.pids.size(), "pid");
}

void add_shares(Document& document, const std::string& title,
                const std::vector<questions::explain::NamedShare>& shares) {
  if (shares.empty()) return;
  Table table({"full commits", "ended", "blocks", "pid", title}, {false, false, false, true, true});
  const std::size_t shown = std::min(kSharesShown, shares.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const questions::explain::NamedShare& share = shares[i];
    table.add({std::to_string(share.share.commits), std::to_string(share.share.fast_commits),
               std::to_string(share.share.blocks_logged), pids_of(share),
               share.name.empty() ? "-" : share.name},
              causes_of(share));
  }
  document.heading("By " + title);
  document.table(std::move(table));
  if (shown < shares.size())
    document.line("and " + std::to_string(shares.size() - shown) + " more");
}

void add_times(Document& document, const std::string& title, bool predicted,
               const std::vector<questions::explain::TimedShare>& shares) {
  const auto times = [predicted](const questions::explain::TimedShare& share) {
    return predicted ? &share.latency.times : &share.latency.recorded;
  };
  if (shares.empty() || times(shares.front())->count() == 0) return;
  Table table({"sync calls", "p50 us", "p99 us", "max us", "total ms", title},
              {false, false, false, false, false, true});
  const std::size_t shown = std::min(kSharesShown, shares.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const engine::Distribution& share = *times(shares[i]);
    table.add({std::to_string(share.count()), microseconds(share.percentile(0.5)),
               microseconds(share.percentile(0.99)), microseconds(share.maximum()),
               support::decimal(static_cast<double>(share.total()) / 1e6, 1),
               shares[i].name.empty() ? "-" : shares[i].name},
              waits_in_words(shares[i].latency));
  }
  document.heading("How long sync calls take, by " + title +
                   (predicted ? " (predicted)" : " (recorded)"));
  document.table(std::move(table));
  if (shown < shares.size())
    document.line("and " + std::to_string(shares.size() - shown) + " more");
}

void add_advice(Document& document, const questions::explain::Explanation& explanation) {
  document.heading("What would avoid them");
  for (const questions::explain::CauseShare& share : explanation.causes)
    document.line(std::string(model::name(share.cause)) + ": " + explain_advice(explanation, share),
                  1);
}

}  // namespace

Document explain_document(const questions::explain::Explanation& explanation, std::size_t limit) {
  Document document(headline(explanation));
  add_selection(document, explanation);
  add_list(document, explanation, limit);
  if (!explanation.commits.empty()) {
    add_causes(document, explanation);
    add_shares(document, "program", explanation.programs);
    add_shares(document, "file", explanation.files);
  }
  const bool predicted = explanation.prediction.latency.predicted;
  add_times(document, "program", predicted, explanation.program_times);
  add_times(document, "file", predicted, explanation.file_times);
  if (!explanation.commits.empty()) add_advice(document, explanation);
  return document;
}

}  // namespace fcsim::report
