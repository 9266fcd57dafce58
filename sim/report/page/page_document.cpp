#include "sim/report/page/page_document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "sim/report/compare_report.h"
#include "sim/report/explain_format.h"
#include "sim/report/explain_report.h"
#include "sim/report/exposure_report.h"
#include "sim/report/latency_report.h"
#include "sim/report/page/figures.h"
#include "sim/report/sweep_report.h"
#include "sim/support/text.h"

namespace fcsim::report::page {
namespace {

using questions::explain::Call;
using questions::explain::CauseShare;
using questions::explain::Explanation;
using questions::overview::Histogram;
using questions::overview::Overview;
using questions::overview::Part;
using support::counted;

constexpr std::size_t kNamesShown = 12;

std::string text_of_number(double value, int digits) {
  return support::decimal(value, digits);
}

// Causes that full commits of the trace have, worst first.
std::vector<model::Cause> causes_of(const Explanation& explanation) {
  std::vector<model::Cause> causes;
  for (const CauseShare& share : explanation.causes) causes.push_back(share.cause);
  return causes;
}

std::string cause_name(model::Cause cause) {
  return std::string(model::name(cause));
}

// ---- the answer -----------------------------------------------------------------------------

std::string first_sentence(const Explanation& explanation) {
  const engine::Prediction& prediction = explanation.prediction;
  return counted(model::total_sync_calls(prediction), "sync call") + " made " +
         counted(prediction.commits, "fast commit") + " and " +
         counted(prediction.transactions, "full commit") + ", by the rules of kernel " +
         explanation.configuration.values.kernel.profile + ".";
}

std::string second_sentence(const Explanation& explanation) {
  if (explanation.causes.empty()) return "No full commit happened.";
  const CauseShare& worst = explanation.causes.front();
  std::string text =
      std::to_string(worst.share.commits) +
      " of the full commits happened because: " + std::string(model::explanation(worst.cause)) +
      " (" + cause_name(worst.cause) + ")";
  if (!explanation.files.empty() && !explanation.files.front().name.empty())
    text += "; the file with most of them is " + explanation.files.front().name + " (" +
            std::to_string(explanation.files.front().share.commits) + ")";
  return text + ".";
}

std::string third_sentence(const Explanation& explanation) {
  const engine::Latency& latency = explanation.prediction.latency;
  const bool predicted = latency.predicted;
  const engine::Distribution& times = predicted ? latency.times : latency.recorded;
  if (times.count() == 0) return "The trace does not say how long calls took.";
  const engine::Distribution& fast = explanation.prices.fast;
  engine::Distribution full;
  for (const engine::Distribution& price : explanation.prices.full) full.add(price);
  std::string text = std::string("The sync calls took ") +
                     text_of_number(static_cast<double>(times.total()) / 1e6, 1) + " ms in all (" +
                     (predicted ? "predicted" : "recorded") + "), the median " +
                     microseconds(times.percentile(0.5)) + " us";
  if (fast.count() != 0 && full.count() != 0)
    text += "; one with a full commit took " + microseconds(full.percentile(0.5)) +
            " us and one with a fast commit " + microseconds(fast.percentile(0.5)) +
            " us (medians)";
  return text + ".";
}

// Full commits that another outcome would turn into fast ones, at the difference of their prices.
std::string gain_in_words(const Explanation& explanation) {
  if (explanation.causes.empty()) return "";
  const CauseShare& worst = explanation.causes.front();
  const engine::Distribution& full = explanation.prices.full[static_cast<std::size_t>(worst.cause)];
  const engine::Distribution& fast = explanation.prices.fast;
  if (full.count() == 0 || fast.count() == 0) return "";
  const model::Time difference = full.percentile(0.5) - fast.percentile(0.5);
  if (difference <= 0)
    return "Expected gain: none in time, as these full commits take no longer than fast ones here.";
  const double total = static_cast<double>(difference) * static_cast<double>(worst.share.commits);
  return "Expected gain, if all of these were fast commits: about " +
         text_of_number(total / 1e6, 1) + " ms, " + microseconds(difference) +
         " us for each (the difference of the medians).";
}

std::string trust_in_words(const Overview& overview) {
  const Explanation& explanation = overview.explanation;
  const engine::InputQuality& quality = explanation.prediction.quality;
  std::string text = std::string("How far to trust it: the input is ") + quality.grade();
  const char* before = " (";
  for (const std::string& what : quality.lacking) text += std::exchange(before, "; ") + what;
  for (const std::string& what : quality.unknown)
    text += std::exchange(before, "; ") + ("not known: " + what);
  if (!quality.lacking.empty() || !quality.unknown.empty()) text += ")";
  if (overview.validation)
    text +=
        "; against the kernel's own counters this prediction " +
        std::string(overview.validation->verdict == questions::validate::Verdict::exact ? "is exact"
                    : overview.validation->verdict == questions::validate::Verdict::within_spread
                        ? "lies within the spread of several recordings"
                        : "differs (see below)");
  if (!explanation.prediction.unsupported.empty())
    text += "; " + counted(explanation.prediction.unsupported.size(), "kind") +
            " of events could not be seen";
  return text + ".";
}

void add_answer(Document& document, const Overview& overview) {
  const Explanation& explanation = overview.explanation;
  document.line(first_sentence(explanation) + " " + second_sentence(explanation) + " " +
                third_sentence(explanation));
  if (!explanation.causes.empty()) {
    const CauseShare& worst = explanation.causes.front();
    document.line("What to change (" + cause_name(worst.cause) +
                  "): " + explain_advice(explanation, worst) + ".");
    if (const std::string gain = gain_in_words(explanation); !gain.empty()) document.line(gain);
  }
  document.line(trust_in_words(overview));
}

// ---- figures --------------------------------------------------------------------------------

void add_timeline(Document& document, const Overview& overview) {
  const std::vector<model::Cause> causes = causes_of(overview.explanation);
  std::vector<std::string> commits = {"fast commits"};
  for (const model::Cause cause : causes) commits.push_back(cause_name(cause));
  std::vector<std::string> names = {"seconds"};
  names.insert(names.end(), commits.begin(), commits.end());
  names.insert(names.end(), {"sync calls", "slowest us", "area blocks", "at risk s"});
  Table table(names);
  bool any_slow = false;
  bool any_area = false;
  bool any_risk = false;
  for (std::size_t i = 0; i < overview.parts.size(); ++i) {
    const Part& part = overview.parts[i];
    std::vector<std::string> cells = {
        text_of_number(static_cast<double>(i) * overview.part_seconds, 6),
        std::to_string(part.fast_commits)};
    for (const model::Cause cause : causes)
      cells.push_back(std::to_string(part.full_commits[static_cast<std::size_t>(cause)]));
    cells.insert(cells.end(),
                 {std::to_string(part.sync_calls), microseconds(part.slowest),
                  std::to_string(part.area_blocks), text_of_number(part.risk_flushed, 3)});
    table.add(std::move(cells));
    any_slow |= part.slowest != 0;
    any_area |= part.area_blocks != 0;
    any_risk |= part.risk_flushed > 0;
  }
  std::vector<Panel> panels = {{"commits", commits, {}, 110}};
  if (any_slow) panels.push_back({"slowest sync call, us", {"slowest us"}, {}, 60});
  if (any_area)
    panels.push_back(
        {"blocks of fast commits in the area" +
             (overview.area != 0 ? ", which has " + std::to_string(overview.area) : std::string()),
         {"area blocks"},
         overview.area != 0 ? std::optional(static_cast<double>(overview.area)) : std::nullopt,
         60});
  if (any_risk)
    panels.push_back(
        {"age of the oldest write that a power cut would lose, s", {"at risk s"}, {}, 60});
  document.figure(timeline("Over time, in " + std::to_string(overview.parts.size()) + " parts of " +
                               text_of_number(overview.part_seconds * 1e3, 3) + " ms",
                           std::move(table), panels, overview.part_seconds));
}

void add_causes(Document& document, const Explanation& explanation) {
  if (explanation.causes.empty()) return;
  document.heading("Why there were full commits");
  Table table({"cause", "full commits", "fast commits ended", "blocks logged", "median us"},
              {true});
  for (const CauseShare& share : explanation.causes) {
    const engine::Distribution& price =
        explanation.prices.full[static_cast<std::size_t>(share.cause)];
    table.add({cause_name(share.cause), std::to_string(share.share.commits),
               std::to_string(share.share.fast_commits), std::to_string(share.share.blocks_logged),
               price.count() == 0 ? "" : microseconds(price.percentile(0.5))},
              std::string(model::explanation(share.cause)));
  }
  document.figure(stacked_bars("Full commits by cause", std::move(table), "cause", {"full commits"},
                               "full commits"));
  for (const CauseShare& share : explanation.causes)
    document.item(cause_name(share.cause) + ": " + explain_advice(explanation, share));
}

// Names that bars can be told apart by; the others together.
void add_shares(Document& document, const Explanation& explanation, const std::string& title,
                const std::string& what,
                const std::vector<questions::explain::NamedShare>& shares) {
  if (shares.empty()) return;
  std::vector<std::string> causes;
  std::vector<std::size_t> indices;
  for (const model::Cause cause : causes_of(explanation)) {
    causes.push_back(cause_name(cause));
    indices.push_back(static_cast<std::size_t>(cause));
  }
  std::vector<std::string> names = {what};
  names.insert(names.end(), causes.begin(), causes.end());
  Table table(names, {true});
  std::set<std::string> known;
  for (std::size_t i = 0; i < std::min(kNamesShown, shares.size()); ++i) {
    std::string name =
        shares[i].name.empty() ? "pid " + std::to_string(shares[i].pids.front()) : shares[i].name;
    while (!known.insert(name).second) name += " ";
    std::vector<std::string> cells = {name};
    for (const std::size_t cause : indices)
      cells.push_back(std::to_string(shares[i].causes[cause]));
    table.add(std::move(cells));
  }
  document.figure(stacked_bars(title, std::move(table), what, causes, "full commits"));
  if (shares.size() > kNamesShown)
    document.line("and " + std::to_string(shares.size() - kNamesShown) + " more");
}

void add_times(Document& document, const Explanation& explanation, const std::string& what,
               const std::vector<questions::explain::TimedShare>& shares) {
  const bool predicted = explanation.prediction.latency.predicted;
  Table table({what, "ms", "sync calls", "p50 us", "p99 us"}, {true});
  std::set<std::string> known;
  for (std::size_t i = 0; i < std::min(kNamesShown, shares.size()); ++i) {
    const engine::Distribution& times =
        predicted ? shares[i].latency.times : shares[i].latency.recorded;
    if (times.count() == 0) continue;
    std::string name =
        shares[i].name.empty() ? "pid " + std::to_string(shares[i].pids.front()) : shares[i].name;
    while (!known.insert(name).second) name += " ";
    table.add({name, text_of_number(static_cast<double>(times.total()) / 1e6, 2),
               std::to_string(times.count()), microseconds(times.percentile(0.5)),
               microseconds(times.percentile(0.99))});
  }
  if (table.rows.empty()) return;
  document.figure(
      stacked_bars("Time in sync calls by " + what, std::move(table), what, {"ms"}, "ms"));
}

void add_slow_calls(Document& document, const Overview& overview) {
  if (overview.slow_calls.empty()) return;
  const Explanation& explanation = overview.explanation;
  document.heading("The sync calls that took longest");
  Table table({"us", "call", "file", "program", "line", "what it did"},
              {false, true, true, true, true, true});
  for (const questions::overview::SlowCall& slow : overview.slow_calls) {
    const Call* const call = explanation.call(slow.call);
    if (call == nullptr) continue;
    table.add({microseconds(slow.took), name_of(explanation, *call), path_of(explanation, *call),
               program_of(explanation, *call), place(explanation, *call), describe(slow.outcome)});
  }
  document.table(std::move(table));
}

// Classes of 1, 2, 3, 4, then powers of two: "5-8".
void add_histogram(Document& document, const std::string& title, const std::string& what,
                   const Histogram& histogram) {
  if (histogram.empty()) return;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> classes;  // end: {begin, count}
  for (const auto& [number, count] : histogram) {
    std::uint64_t end = number;
    std::uint64_t begin = number;
    if (number > 4) {
      end = 8;
      while (end < number) end *= 2;
      begin = end / 2 + 1;
    }
    auto& entry = classes[end];
    entry.first = begin;
    entry.second += count;
  }
  if (histogram.size() == 1) {
    document.line(title + ": " + std::to_string(histogram.begin()->first) + " in all " +
                  counted(histogram.begin()->second, "fast commit") + ".");
    return;
  }
  Table table({what, "fast commits"}, {true});
  for (const auto& [end, entry] : classes)
    table.add({entry.first == end ? std::to_string(end)
                                  : std::to_string(entry.first) + "-" + std::to_string(end),
               std::to_string(entry.second)});
  document.figure(columns(title, std::move(table), what, {"fast commits"}, what, "fast commits"));
}

void add_latency_figure(Document& document, const Explanation& explanation) {
  const engine::Latency& latency = explanation.prediction.latency;
  add_latency(document, latency);
  std::vector<std::pair<std::string, const engine::Distribution*>> kinds;
  engine::Distribution full;
  for (const engine::Distribution& price : explanation.prices.full) full.add(price);
  if (explanation.prices.fast.count() != 0)
    kinds.emplace_back("with a fast commit", &explanation.prices.fast);
  if (full.count() != 0) kinds.emplace_back("with a full commit", &full);
  if (explanation.prices.none.count() != 0)
    kinds.emplace_back("no commit of their own", &explanation.prices.none);
  std::map<model::Time, std::vector<std::uint64_t>> classes;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (const auto& [end, count] : kinds[kind].second->quarters()) {
      std::vector<std::uint64_t>& counts = classes[end];
      counts.resize(kinds.size());
      counts[kind] += count;
    }
  if (classes.empty()) return;
  std::vector<std::string> names = {"up to us"};
  std::vector<std::string> parts;
  for (const auto& [name, times] : kinds) parts.push_back(name);
  names.insert(names.end(), parts.begin(), parts.end());
  Table table(names, {true});
  for (auto& [end, counts] : classes) {
    counts.resize(kinds.size());
    std::vector<std::string> cells = {microseconds(end)};
    for (const std::uint64_t count : counts) cells.push_back(std::to_string(count));
    table.add(std::move(cells));
  }
  document.figure(columns(
      std::string("How long sync calls take, ") + (latency.predicted ? "predicted" : "recorded"),
      std::move(table), "up to us", parts, "up to microseconds", "calls"));
}

// ---- sweep, comparison, validation, data at risk --------------------------------------------

double number_in(const std::string& text) {
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : NAN;
}

void add_sweep(Document& document, const questions::sweep::Sweep& sweep) {
  document.heading("What other settings would give");
  // The first parameter that is a number is the axis; the others tell curves apart.
  std::size_t axis = sweep.keys.size();
  for (std::size_t k = 0; k < sweep.keys.size() && axis == sweep.keys.size(); ++k)
    if (std::all_of(sweep.rows.begin(), sweep.rows.end(),
                    [k](const auto& row) { return !std::isnan(number_in(row.values[k])); }))
      axis = k;
  if (axis == sweep.keys.size() || sweep.rows.size() < 3) {
    const Document whole = sweep_document(sweep);
    for (const Block& block : whole.blocks())
      if (const auto* const table = std::get_if<Table>(&block)) document.table(*table);
    return;
  }
  const bool grouped = sweep.keys.size() > 1;
  std::vector<std::string> names = {sweep.keys[axis], "full commits", "fast commits"};
  if (grouped) names.emplace_back("settings");
  Table table(names, {false, false, false, true});
  std::vector<std::pair<double, double>> falling;
  for (const questions::sweep::SweepRow& row : sweep.rows) {
    if (row.outcome.error) continue;
    const engine::Prediction& prediction = row.outcome.prediction;
    std::vector<std::string> cells = {row.values[axis], std::to_string(prediction.transactions),
                                      std::to_string(prediction.commits)};
    std::string group;
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      if (k != axis)
        group += (group.empty() ? "" : " ") + sweep.keys[k].substr(sweep.keys[k].rfind('.') + 1) +
                 "=" + row.values[k];
    if (grouped) cells.push_back(group);
    table.add(std::move(cells));
    if (!grouped)
      falling.emplace_back(number_in(row.values[axis]),
                           static_cast<double>(prediction.transactions));
  }
  std::sort(falling.begin(), falling.end());
  const bool logarithm = falling.size() > 2 && falling.front().first > 0 &&
                         falling.back().first >= 8 * falling.front().first;
  const std::optional<std::size_t> knee = knee_of(falling, logarithm);
  std::optional<double> at;
  if (knee) at = falling[*knee].first;
  document.figure(curve("Full and fast commits by " + sweep.keys[axis], std::move(table),
                        sweep.keys[axis], {"full commits", "fast commits"},
                        grouped ? "settings" : "", at));
  if (knee)
    document.line("The knee is at " + text_of_number(falling[*knee].first, 0) + ", with " +
                  text_of_number(falling[*knee].second, 0) + " full commits; " +
                  text_of_number(falling.back().first, 0) + " gives " +
                  text_of_number(falling.back().second, 0) + ".");
}

void add_comparison(Document& document, const questions::compare::CompareResult& result) {
  document.heading("A against B");
  Table table({"counter", "A", "B"}, {true});
  const auto add = [&](const std::string& name, std::uint64_t a, std::uint64_t b) {
    if (a != 0 || b != 0) table.add({name, std::to_string(a), std::to_string(b)});
  };
  add("fast commits", result.a.commits, result.b.commits);
  add("full commits", result.a.transactions, result.b.transactions);
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    add(std::string("full: ") + std::string(model::kCauseNames[cause]), result.a.causes[cause],
        result.b.causes[cause]);
  add("blocks of fast commits", result.a.numblks, result.b.numblks);
  add("blocks of full commits", result.a.blocks_logged, result.b.blocks_logged);
  if (!table.rows.empty())
    document.figure(paired_bars("Commits and blocks under A and under B", std::move(table),
                                "counter", {"A", "B"}, ""));
  const Document whole = compare_document(result);
  for (const Block& block : whole.blocks()) {
    if (const auto* const settings = std::get_if<Table>(&block);
        settings != nullptr && settings->columns.front().name == "setting")
      document.table(*settings);
  }
  document.line(std::to_string(result.changed) + " of " + counted(result.sync_calls, "sync call") +
                " went another way.");
}

void add_validation(Document& document, const questions::validate::BundleResult& result) {
  document.heading("Against the kernel's own counters");
  document.line("Verdict: " + std::string(name(result.verdict)) +
                (result.reason.empty() ? "" : ", " + result.reason) + ".");
  Table table({"counter", "predicted", "kernel"}, {true});
  for (const questions::validate::ComparedCounter& counter : result.counters)
    if (counter.predicted != 0 || counter.truth != 0)
      table.add({counter.name, std::to_string(counter.predicted), std::to_string(counter.truth)},
                counter.exact()           ? ""
                : counter.within_spread() ? "within the spread of recordings"
                                          : "differs");
  if (!table.rows.empty())
    document.figure(paired_bars("Predicted and counted", std::move(table), "counter",
                                {"predicted", "kernel"}, ""));
}

void add_exposure(Document& document, const Overview& overview) {
  if (!overview.exposure) {
    if (!overview.no_exposure.empty()) {
      document.heading("Data at risk");
      document.line("Not known: " + overview.no_exposure);
    }
    return;
  }
  const questions::exposure::Exposure& exposure = *overview.exposure;
  document.heading("Data at risk");
  Table table({"age of the oldest lost write, s", "power cut", "reset"}, {true});
  const questions::exposure::Ages& flushed =
      exposure.ages[static_cast<std::size_t>(model::exposure::Kept::flushed)];
  const questions::exposure::Ages& completed =
      exposure.ages[static_cast<std::size_t>(model::exposure::Kept::completed)];
  const auto add = [&](const char* name, double questions::exposure::Ages::*age) {
    table.add({name, text_of_number(flushed.*age, 2), text_of_number(completed.*age, 2)});
  };
  add("mean", &questions::exposure::Ages::mean);
  add("median", &questions::exposure::Ages::p50);
  add("90 %", &questions::exposure::Ages::p90);
  add("99 %", &questions::exposure::Ages::p99);
  add("maximum", &questions::exposure::Ages::maximum);
  document.figure(paired_bars("How old the oldest write is that a cut would lose", std::move(table),
                              "age of the oldest lost write, s", {"power cut", "reset"},
                              "seconds"));
  document.line("Promises that did not hold: " + std::to_string(exposure.broken.size()) + ".");
  if (exposure.broken.empty()) return;
  Table broken({"line", "call", "why"}, {false, true, true});
  for (std::size_t i = 0; i < std::min(kNamesShown, exposure.broken.size()); ++i) {
    const model::exposure::BrokenPromise& promise = exposure.broken[i];
    const auto call =
        exposure.calls.find(promise.call.line | (std::uint64_t{promise.call.source} << 48U));
    broken.add({std::to_string(promise.call.line), call == exposure.calls.end() ? "" : call->second,
                std::string(breach_text(promise.breach))});
  }
  document.table(std::move(broken));
}

void add_basis_of(Document& document, const Overview& overview) {
  const Explanation& explanation = overview.explanation;
  document.list("Notes", explanation.configuration.notes);
  std::vector<std::string> assumed = explanation.configuration.assumed;
  assumed.insert(assumed.end(), explanation.prediction.assumed.begin(),
                 explanation.prediction.assumed.end());
  document.list("Assumed", assumed);
  if (explanation.prediction.unsupported.empty()) return;
  document.heading("Not visible in the trace");
  for (const auto& [what, count] : explanation.prediction.unsupported) document.count(what, count);
}

void add_overview(Document& document, const Overview& overview) {
  const Explanation& explanation = overview.explanation;
  add_answer(document, overview);
  add_timeline(document, overview);
  add_causes(document, explanation);
  add_shares(document, explanation, "Files with most full commits", "file", explanation.files);
  add_shares(document, explanation, "Programs with most full commits", "program",
             explanation.programs);
  add_latency_figure(document, explanation);
  add_times(document, explanation, "file", explanation.file_times);
  add_times(document, explanation, "program", explanation.program_times);
  add_slow_calls(document, overview);
  if (!overview.blocks.empty()) document.heading("Fast commits");
  add_histogram(document, "Blocks of a fast commit", "blocks", overview.blocks);
  add_histogram(document, "Ranges an inode of a fast commit", "ranges an inode", overview.ranges);
  if (overview.sweep) add_sweep(document, *overview.sweep);
  if (overview.comparison) add_comparison(document, *overview.comparison);
  if (overview.validation) add_validation(document, *overview.validation);
  add_exposure(document, overview);
  add_basis_of(document, overview);
}

}  // namespace

std::optional<std::size_t> knee_of(const std::vector<std::pair<double, double>>& curve,
                                   bool logarithm) {
  if (curve.size() < 3) return std::nullopt;
  const auto x = [&](std::size_t i) {
    return logarithm ? std::log2(curve[i].first) : curve[i].first;
  };
  const double width = x(curve.size() - 1) - x(0);
  const double fall = curve.front().second - curve.back().second;
  if (!(width > 0) || !(fall > 0)) return std::nullopt;
  // Half of a hundredth of the fall is taken for straight.
  std::optional<std::size_t> knee;
  double furthest = 0.005;
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const double line = 1 - (x(i) - x(0)) / width;
    const double height = (curve[i].second - curve.back().second) / fall;
    if (line - height <= furthest) continue;
    furthest = line - height;
    knee = i;
  }
  return knee;
}

Document page_document(const std::vector<Overview>& overviews) {
  std::string title = "fcsim: ";
  for (const Overview& overview : overviews)
    title += (&overview == &overviews.front() ? "" : ", ") + overview.name;
  Document document(title);
  for (const Overview& overview : overviews) {
    if (overviews.size() > 1) document.heading(overview.name);
    add_overview(document, overview);
  }
  return document;
}

}  // namespace fcsim::report::page
