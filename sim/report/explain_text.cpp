// The form for people.
#include <algorithm>

#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

namespace fcsim::report {
namespace {

constexpr std::size_t kSharesShown = 10;  // the JSON form has them all

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

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
              std::to_string(asked->origin.line) + " asked";
  return remark;
}

class Lines {
 public:
  explicit Lines(const questions::explain::Explanation& explanation)
      : explanation_(explanation),
        table_({"seconds", "tid", "cause", "ended", "blocks", "pid", "call", "path", "line"},
               {false, false, true, false, false, true, true, true, true}) {}

  void operator()(const questions::explain::ExplainedCommit* commit) {
    const model::FullCommitRecord& record = commit->record;
    std::vector<std::string> cells = {
        seconds(record.start - explanation_.begin, 6), std::to_string(record.tid),
        std::string(model::name(record.cause)), std::to_string(record.fast_commits),
        std::to_string(record.blocks_logged)};
    if (const questions::explain::Call* const call = explanation_.call(commit->caused_by))
      add_call(explanation_, *call, cells);
    else
      cells.insert(cells.end(), {"-", std::string(kernel_caller(record)), "-", "-"});
    table_.add_remark(std::move(cells), remark_of(explanation_, *commit));
  }

  void operator()(const questions::explain::ExplainedAttempt* attempt) {
    const model::FastCommitRecord& record = attempt->record;
    const bool ok = record.outcome == model::Outcome::ok;
    std::vector<std::string> cells = {seconds(record.start - explanation_.begin, 6),
                                      std::to_string(record.tid),
                                      ok ? "+" : "+ " + std::string(engine::outcome_name(record.outcome)),
                                      "-", ok ? std::to_string(record.blocks) : "-"};
    if (const questions::explain::Call* const call = explanation_.call(attempt->asked_by))
      add_call(explanation_, *call, cells);
    else
      cells.insert(cells.end(), {"-", "-", "-", "-"});
    table_.add_remark(std::move(cells), ok ? counted(record.inodes, "inode") + ", " +
                                                 counted(record.ranges, "range") + ", " +
                                                 counted(record.names, "name")
                                           : "");
  }

  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  const questions::explain::Explanation& explanation_;
  TextTable table_;
};

std::string headline(const questions::explain::Explanation& explanation) {
  const engine::Prediction& prediction = explanation.prediction;
  std::string text = counted(prediction.transactions, "full commit") + ", " +
                     counted(prediction.commits, "fast commit") + ", by the rules of kernel " +
                     explanation.configuration.values.kernel.profile + "\n";
  if (!prediction.has_journal) return text + "There is no journal: nothing is committed.\n";
  if (explanation.filtered)
    text += counted(explanation.commits.size(), "full commit") + " chosen; all below is about " +
            (explanation.commits.size() == 1 ? "it" : "them") + " alone\n";
  return text;
}

std::string legend(bool attempts) {
  std::string text =
      "ended: fast commits of the transaction; blocks: logged; the call is the one at fault\n";
  if (attempts)
    text +=
        "+: a fast commit and its blocks of the area, or why an fsync became none: ineligible\n"
        "(marked), failed (no room, or the first commit of the mount), skipped (committed "
        "already)\n";
  return text;
}

std::string list_text(const questions::explain::Explanation& explanation, std::size_t limit) {
  const std::vector<ExplainedEvent> events = events_in_order(explanation);
  if (events.empty()) return "";
  const std::size_t shown = limit == 0 ? events.size() : std::min(limit, events.size());
  Lines lines(explanation);
  for (std::size_t i = 0; i < shown; ++i) std::visit(lines, events[i]);
  std::string text = "\nSeconds from " + seconds(explanation.begin, 6) +
                     ", the first line's time\n" + legend(!explanation.attempts.empty()) +
                     lines.text();
  if (shown < events.size()) text += "and " + std::to_string(events.size() - shown) + " more\n";
  return text;
}

std::string causes_text(const questions::explain::Explanation& explanation) {
  TextTable table({"full commits", "ended", "blocks", "cause"}, {false, false, false, true});
  for (const questions::explain::CauseShare& cause : explanation.causes)
    table.add_remark(
        {std::to_string(cause.share.commits), std::to_string(cause.share.fast_commits),
         std::to_string(cause.share.blocks_logged), std::string(model::name(cause.cause))},
        "(" + std::string(report::explanation(cause.cause)) + ")");
  return "\nBy cause\n" + table.text();
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

std::string shares_text(const std::string& title,
                        const std::vector<questions::explain::NamedShare>& shares) {
  if (shares.empty()) return "";
  TextTable table({"full commits", "ended", "blocks", "pid", title},
                  {false, false, false, true, true});
  const std::size_t shown = std::min(kSharesShown, shares.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const questions::explain::NamedShare& share = shares[i];
    table.add_remark({std::to_string(share.share.commits), std::to_string(share.share.fast_commits),
                      std::to_string(share.share.blocks_logged), pids_of(share),
                      share.name.empty() ? "-" : share.name},
                     causes_of(share));
  }
  std::string text = "\nBy " + title + "\n" + table.text();
  if (shown < shares.size()) text += "and " + std::to_string(shares.size() - shown) + " more\n";
  return text;
}

std::string advice_text(const questions::explain::Explanation& explanation) {
  std::string text = "\nWhat would avoid them\n";
  for (const questions::explain::CauseShare& share : explanation.causes)
    text += "  " + std::string(model::name(share.cause)) + ": " +
            explain_advice(explanation, share) + "\n";
  return text;
}

}  // namespace

std::string explain_text(const questions::explain::Explanation& explanation, std::size_t limit) {
  std::string text = headline(explanation) + list_text(explanation, limit);
  if (explanation.commits.empty()) return text;
  return text + causes_text(explanation) + shares_text("program", explanation.programs) +
         shares_text("file", explanation.files) + advice_text(explanation);
}

}  // namespace fcsim::report
