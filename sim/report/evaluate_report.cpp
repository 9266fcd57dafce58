#include "sim/report/evaluate_report.h"

#include <algorithm>
#include <iterator>

#include "sim/report/compare_report.h"
#include "sim/report/exposure_report.h"
#include "sim/report/latency_report.h"
#include "sim/report/validation_report.h"
#include "sim/support/text.h"
#include "sim/support/utf8.h"

namespace fcsim::report {
namespace {

using questions::evaluate::Evaluation;
using questions::evaluate::Promise;
using questions::evaluate::TraceResult;
using questions::evaluate::Verdict;

constexpr std::string_view kVerdictNames[] = {"better", "worse", "same"};

std::string_view verdict_name(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)];
}

struct BeforeAfter {
  std::uint64_t before = 0, after = 0;
  [[nodiscard]] std::uint64_t difference() const {
    return before < after ? after - before : before - after;
  }
};

BeforeAfter both(const TraceResult& trace, const std::string& counter) {
  return {trace.before_of(counter), trace.after_of(counter)};
}

BeforeAfter full_commits(const TraceResult& trace) {
  return both(trace, "jbd2.transactions");
}

BeforeAfter journal_blocks_of(const TraceResult& trace) {
  const BeforeAfter fast = both(trace, "fc_info.numblks");
  const BeforeAfter full = both(trace, "jbd2.blocks_logged");
  return {questions::evaluate::journal_blocks(fast.before, full.before),
          questions::evaluate::journal_blocks(fast.after, full.after)};
}

// "228 -> 2", or the number alone where it stays.
std::string arrow(const BeforeAfter& pair) {
  const std::string before = std::to_string(pair.before);
  return pair.before == pair.after ? before : before + " -> " + std::to_string(pair.after);
}

std::string change_of(const BeforeAfter& pair) {
  if (pair.before == pair.after) return "";
  const std::string sign = pair.after > pair.before ? "+" : "-";
  if (pair.before == 0) return sign + std::to_string(pair.difference());
  return sign + support::percent(pair.difference(), pair.before);
}

// "begin..end" in `width` columns.
std::string cut_in_the_middle(const std::string& text, std::size_t width) {
  if (width == 0 || support::display_width(text) <= width) return text;
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = support::character_at(text, at).size;
    characters.push_back(text.substr(at, size));
    at += size;
  }
  const std::size_t kept = std::max<std::size_t>(width, 4) - 2;
  std::string result;
  for (std::size_t i = 0; i < kept / 2; ++i) result += characters[i];
  result += "..";
  for (std::size_t i = characters.size() - (kept - kept / 2); i < characters.size(); ++i)
    result += characters[i];
  return result;
}

// Counters that say why fast commits were none: {group, heading of the row}.
constexpr std::pair<std::string_view, std::string_view> kWhy[] = {
    {"fc_info.reasons.", "marked: "}, {"fc_info.snapshot.", "snapshot: "}, {"causes.", "cause: "}};
// Of the snapshots' counters those that are no failures.
constexpr std::string_view kNoFailures[] = {"fc_info.snapshot.inodes", "fc_info.snapshot.ranges"};

struct Why {
  std::string counter;
  std::string name;
};

std::vector<Why> whys_of(const TraceResult& trace) {
  std::vector<Why> whys;
  for (const auto& [group, title] : kWhy)
    for (const questions::compare::CounterPair& pair : trace.counters) {
      const bool failure = std::find(std::begin(kNoFailures), std::end(kNoFailures), pair.name) ==
                           std::end(kNoFailures);
      if (!pair.name.starts_with(group) || !failure) continue;
      if (pair.a.value_or(0) == 0 && pair.b.value_or(0) == 0) continue;
      whys.push_back({pair.name, std::string(title) + pair.name.substr(group.size())});
    }
  return whys;
}

class EvaluateDocument {
 public:
  EvaluateDocument(const Evaluation& evaluation, const EvaluateStyle& style)
      : evaluation_(evaluation),
        style_(style),
        names_(inputs_of(evaluation)),
        document_(evaluation.patch + " against " + evaluation.against) {
    rank();
  }

  Document write() {
    summary();
    rules();
    sums();
    if (listed_.size() + hidden_ != 0) {
      traces();
      reasons();
      first_changes();
    }
    promises();
    failures();
    repeat();
    return std::move(document_);
  }

 private:
  static std::vector<std::string> inputs_of(const Evaluation& evaluation) {
    std::vector<std::string> inputs;
    for (const TraceResult& trace : evaluation.traces) inputs.push_back(trace.input);
    return inputs;
  }

  [[nodiscard]] std::string name_of(const TraceResult& trace) const {
    const std::string name =
        evaluation_.traces.size() == 1 ? trace.input : names_.short_name(trace.input);
    return name.empty() ? trace.input : name;
  }

  // Those that lose most first, then those that win most; none that stays the same.
  void rank() {
    std::vector<const TraceResult*> all;
    for (const TraceResult& trace : evaluation_.traces)
      if (trace.error.empty() && trace.verdict() != Verdict::same) all.push_back(&trace);
    std::stable_sort(all.begin(), all.end(), [](const TraceResult* a, const TraceResult* b) {
      const auto key = [](const TraceResult& trace) {
        return std::tuple(trace.verdict() == Verdict::better, ~full_commits(trace).difference(),
                          ~journal_blocks_of(trace).difference());
      };
      return key(*a) < key(*b);
    });
    // Of what does not fit, losses go last.
    const std::size_t shown = std::min(all.size(), style_.traces);
    hidden_ = all.size() - shown;
    const auto worse = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(),
                      [](const TraceResult* trace) { return trace->verdict() == Verdict::worse; }));
    const std::size_t better_shown =
        std::min(all.size() - worse, std::max(shown / 2, shown - std::min(shown, worse)));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < worse ? i < shown - better_shown : i - worse < better_shown)
        listed_.push_back(all[i]);
  }

  void summary() {
    if (!evaluation_.summary.empty()) document_.line(evaluation_.summary);
    const std::size_t failed = evaluation_.failed();
    document_.gap();
    document_.line(support::counted(evaluation_.traces.size() - failed, "trace") + ": " +
                   std::to_string(evaluation_.count(Verdict::better)) + " better, " +
                   std::to_string(evaluation_.count(Verdict::worse)) + " worse, " +
                   std::to_string(evaluation_.count(Verdict::same)) + " the same" +
                   (failed != 0 ? "; " + std::to_string(failed) + " not predicted" : "") + ". " +
                   std::to_string(evaluation_.total.changed) + " of " +
                   support::counted(evaluation_.total.sync_calls, "sync call") +
                   " went another way.");
  }

  void rules() {
    document_.heading("Rules that change");
    if (evaluation_.rules.empty()) {
      document_.line("None: the profiles are the same.");
      return;
    }
    Table table({"rule", "before", "after"}, {true, true, true});
    const auto shown = [](const std::string& value) { return value.empty() ? "-" : value; };
    for (const questions::compare::SettingPair& rule : evaluation_.rules)
      table.add({rule.key, shown(rule.a), shown(rule.b)});
    document_.table(std::move(table));
  }

  void sums() {
    const TraceResult& total = evaluation_.total;
    document_.heading("All traces together");
    Table table({"", "before", "after", "change"}, {true});
    const auto add = [&](const std::string& name, const BeforeAfter& pair) {
      table.add({name, std::to_string(pair.before), std::to_string(pair.after), change_of(pair)});
    };
    add("fast commits", both(total, "fc_info.commits"));
    add("full commits", full_commits(total));
    add("fast commits that fell back", both(total, "fc_info.ineligible"));
    for (const Why& why : whys_of(total)) add("  " + why.name, both(total, why.counter));
    add("journal blocks", journal_blocks_of(total));
    add("  of fast commits", both(total, "fc_info.numblks"));
    add("  of full commits", both(total, "jbd2.blocks_logged"));
    document_.table(std::move(table));
    if (total.after.predicted)
      add_latencies(document_, "before", total.before, "after", total.after);
  }

  // The columns but the first are as wide as they must be; what is left is for the names.
  [[nodiscard]] std::size_t room_for_names(const Table& table) const {
    if (style_.width == 0) return 0;
    std::size_t used = 0;
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
      std::size_t width = support::display_width(table.columns[column].name);
      for (const Row& row : table.rows)
        width = std::max(width, support::display_width(support::printable(row.cells[column])));
      used += width + 2;
    }
    return std::max<std::size_t>(12, style_.width - std::min(style_.width, used));
  }

  void add_named(Table table) {
    const std::size_t room = room_for_names(table);
    for (Row& row : table.rows)
      row.cells.front() = cut_in_the_middle(support::printable(row.cells.front()), room);
    document_.table(std::move(table));
  }

  void traces() {
    document_.heading("Traces that change most");
    Table table({"trace", "fast commits", "full commits", "journal blocks", ""},
                {true, false, false, false, true});
    for (const TraceResult* trace : listed_)
      table.add({name_of(*trace), arrow(both(*trace, "fc_info.commits")),
                 arrow(full_commits(*trace)), arrow(journal_blocks_of(*trace)),
                 std::string(verdict_name(trace->verdict()))});
    add_named(std::move(table));
    if (hidden_ != 0) document_.line("and " + std::to_string(hidden_) + " more", 1);
  }

  void reasons() {
    Table table({"trace", "why", "before", "after"}, {true, true});
    for (const TraceResult* trace : listed_)
      for (const Why& why : whys_of(*trace)) {
        const BeforeAfter pair = both(*trace, why.counter);
        if (pair.before == pair.after) continue;
        table.add(
            {name_of(*trace), why.name, std::to_string(pair.before), std::to_string(pair.after)});
      }
    if (table.rows.empty()) return;
    document_.heading("Why, where that changes");
    add_named(std::move(table));
  }

  void first_changes() {
    document_.heading("The first call that went another way");
    for (const TraceResult* trace : listed_) {
      if (!trace->first_change) continue;
      const questions::compare::PathChange& change = *trace->first_change;
      document_.item(name_of(*trace) + ": line " + std::to_string(change.call.line) + ", " +
                     std::string(call_name(change.call.kind)) +
                     (change.path.empty() ? "" : " of " + change.path) + ": " + describe(change.a) +
                     " -> " + describe(change.b));
    }
  }

  void promises() {
    const TraceResult& total = evaluation_.total;
    if (!total.promises_known) return;
    document_.heading("Broken promises: " +
                      arrow(BeforeAfter{total.broken_before, total.broken_after}));
    std::uint64_t newly_broken = 0;
    std::uint64_t newly_kept = 0;
    for (const TraceResult& trace : evaluation_.traces) {
      newly_broken += trace.newly_broken.size();
      newly_kept += trace.newly_kept.size();
    }
    document_.line(
        "Calls that returned before what they promise was true: " + std::to_string(newly_broken) +
        " with the patch alone, " + std::to_string(newly_kept) + " without it alone.");
    for (const TraceResult& trace : evaluation_.traces) {
      add_promise(trace, trace.newly_broken, "broken now");
      add_promise(trace, trace.newly_kept, "kept now");
    }
  }

  void add_promise(const TraceResult& trace, const std::vector<Promise>& list, const char* what) {
    if (list.empty()) return;
    const Promise& first = list.front();
    document_.item(name_of(trace) + ": " + std::to_string(list.size()) + " " + what +
                   ", first line " + std::to_string(first.line) + ", " + first.call + ": " +
                   std::string(breach_text(first.breach)));
  }

  void failures() {
    if (evaluation_.failed() == 0) return;
    document_.heading("Not predicted");
    for (const TraceResult& trace : evaluation_.traces)
      if (!trace.error.empty()) document_.item(name_of(trace) + ": " + trace.error);
  }

  void repeat() {
    if (style_.commands.empty()) return;
    document_.heading("To repeat it");
    constexpr std::size_t kNarrow = 68;
    std::string text;
    std::size_t column = 0;
    for (const std::string& word : style_.commands) {
      const std::size_t width = support::display_width(word);
      if (column != 0 && column + 1 + width > kNarrow) {
        text += " \\\n    ";
        column = 4;
      } else if (column != 0) {
        text += " ";
        ++column;
      }
      text += word;
      column += width;
    }
    document_.code(text);
  }

  const Evaluation& evaluation_;
  const EvaluateStyle& style_;
  ValidationText names_;
  std::vector<const TraceResult*> listed_;
  std::size_t hidden_ = 0;
  Document document_;
};

// ---- JSON -----------------------------------------------------------------------------------

support::Json promises_json(const std::vector<Promise>& promises) {
  support::Json list = support::Json::array();
  for (const Promise& promise : promises)
    list.push_back({{"trace", promise.file},
                    {"line", promise.line},
                    {"call", promise.call},
                    {"why", std::string(breach_text(promise.breach))}});
  return list;
}

support::Json trace_result_json(const TraceResult& trace) {
  support::Json counters = support::Json::object();
  const auto number = [](const std::optional<std::uint64_t>& value) {
    return value ? support::Json(*value) : support::Json();
  };
  for (const questions::compare::CounterPair& pair : trace.counters)
    counters[pair.name] = {{"before", number(pair.a)}, {"after", number(pair.b)}};
  support::Json root = {
      {"counters", std::move(counters)},
      {"latency", {{"before", latency_json(trace.before)}, {"after", latency_json(trace.after)}}},
      {"sync_calls", trace.sync_calls},
      {"changed", trace.changed},
      {"broken_promises", nullptr}};
  if (trace.promises_known)
    root["broken_promises"] = {{"before", trace.broken_before}, {"after", trace.broken_after}};
  return root;
}

support::Json evaluated_trace_json(const TraceResult& trace) {
  support::Json root = {{"input", trace.input}};
  if (!trace.error.empty()) {
    root["error"] = trace.error;
    return root;
  }
  root["verdict"] = std::string(verdict_name(trace.verdict()));
  root.update(trace_result_json(trace));
  if (trace.promises_known) {
    root["broken_promises"]["newly_broken"] = promises_json(trace.newly_broken);
    root["broken_promises"]["newly_kept"] = promises_json(trace.newly_kept);
  }
  if (trace.first_change)
    root["first_change"] = {{"trace", trace.first_change_file},
                            {"line", trace.first_change->call.line},
                            {"call", std::string(call_name(trace.first_change->call.kind))},
                            {"path", trace.first_change->path},
                            {"before", describe(trace.first_change->a)},
                            {"after", describe(trace.first_change->b)}};
  return root;
}

}  // namespace

Document evaluate_document(const Evaluation& evaluation, const EvaluateStyle& style) {
  return EvaluateDocument(evaluation, style).write();
}

std::string evaluate_json(const Evaluation& evaluation, const EvaluateStyle& style) {
  std::string command;
  for (const std::string& word : style.commands) command += (command.empty() ? "" : " ") + word;
  support::Json root = {{"patch", evaluation.patch},
                        {"against", evaluation.against},
                        {"summary", evaluation.summary},
                        {"rules", support::Json::object()},
                        {"total", trace_result_json(evaluation.total)},
                        {"traces", support::Json::array()},
                        {"command", command}};
  for (const questions::compare::SettingPair& rule : evaluation.rules)
    root["rules"][rule.key] = {{"before", rule.a}, {"after", rule.b}};
  for (const TraceResult& trace : evaluation.traces)
    root["traces"].push_back(evaluated_trace_json(trace));
  return support::json_text(root);
}

}  // namespace fcsim::report
