#include "sim/report/batch_report.h"

#include <cmath>

#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using questions::batch::BatchSummary;
using questions::batch::Distribution;
using questions::batch::SettingComparison;
using support::decimal;

constexpr std::size_t kSettingsShown = 10;  // of those that are better, and of those that are worse

std::string overview(const BatchSummary& summary) {
  if (summary.settings.empty()) return summary.database + ": empty";
  return summary.database + ": " + std::to_string(summary.bundles) + " bundles, " +
         std::to_string(summary.settings.size()) + " settings, " + std::to_string(summary.rows) +
         " rows, " + std::to_string(summary.errors) + " of them errors";
}

// The columns that say which setting a line is about.
std::vector<std::string> setting_header(const BatchSummary& summary) {
  std::vector<std::string> header = {"setting"};
  if (summary.several_batches) header.emplace_back("options");
  header.insert(header.end(), summary.keys.begin(), summary.keys.end());
  return header;
}

std::vector<std::string> setting_cells(const BatchSummary& summary, std::size_t setting) {
  std::vector<std::string> cells = {std::to_string(setting + 1)};
  if (summary.several_batches) cells.push_back(summary.settings[setting].common_options);
  for (const auto& value : summary.values[setting]) cells.push_back(value.value_or("-"));
  return cells;
}

std::string quartile_text(double value) {
  return decimal(value, value == std::floor(value) ? 0 : 2);
}

Table distribution_table(const BatchSummary& summary,
                         const std::vector<Distribution>& distributions) {
  std::vector<std::string> header = setting_header(summary);
  for (const char* name : {"traces", "min", "q1", "median", "q3", "max", "mean"})
    header.emplace_back(name);
  Table table(header);
  for (std::size_t setting = 0; setting < distributions.size(); ++setting) {
    const Distribution& distribution = distributions[setting];
    const bool empty = distribution.traces == 0;
    std::vector<std::string> cells = setting_cells(summary, setting);
    cells.push_back(std::to_string(distribution.traces));
    for (const double quartile : distribution.quartiles)
      cells.push_back(empty ? "-" : quartile_text(quartile));
    cells.push_back(empty ? "-" : decimal(distribution.mean, 2));
    table.add(std::move(cells));
  }
  return table;
}

std::string signed_text(std::int64_t value) {
  return (value > 0 ? "+" : "") + std::to_string(value);
}

std::string percent_of(const SettingComparison& comparison) {
  if (comparison.baseline_sum == 0) return "-";
  return decimal(
      100 * static_cast<double>(comparison.change) / static_cast<double>(comparison.baseline_sum),
      1);
}

Table comparison_table(const BatchSummary& summary,
                       const std::vector<SettingComparison>& comparisons) {
  std::vector<std::string> header = setting_header(summary);
  for (const char* name : {"traces", "better", "equal", "worse", "change", "percent"})
    header.emplace_back(name);
  std::vector<bool> left(header.size(), false);
  for (const char* name : {"gains most", "loses most"}) {
    header.emplace_back(name);
    left.push_back(true);
  }
  Table table(header, left);
  for (const SettingComparison& one : comparisons) {
    if (table.rows.size() == kSettingsShown) break;
    std::vector<std::string> cells = setting_cells(summary, one.setting);
    for (const std::size_t count : {one.traces, one.better, one.equal, one.worse})
      cells.push_back(std::to_string(count));
    cells.push_back(signed_text(one.change));
    cells.push_back(percent_of(one));
    for (const auto& [change, bundle] : {one.best, one.worst})
      cells.push_back(change == 0 ? "-" : bundle + " " + signed_text(change));
    table.add(std::move(cells));
  }
  return table;
}

void add_comparison(Document& document, const BatchSummary& summary, const std::string& which,
                    const std::vector<SettingComparison>& comparisons) {
  const std::string& options = summary.settings[summary.baseline].options;
  document.heading(summary.by + " against setting " + std::to_string(summary.baseline + 1) +
                   (options.empty() ? std::string() : " (" + options + ")") + ": the " + which +
                   " settings");
  if (comparisons.empty())
    document.line("none", 1);
  else
    document.table(comparison_table(summary, comparisons));
}

}  // namespace

Document batch_document(const BatchSummary& summary) {
  Document document;
  document.line(overview(summary));
  if (summary.settings.empty()) return document;
  for (const questions::batch::CounterSummary& counter : summary.counters) {
    document.heading(counter.counter);
    document.table(distribution_table(summary, counter.by_setting));
  }
  std::string zero;
  for (const std::string& counter : summary.zero_everywhere)
    zero += (zero.empty() ? "" : ", ") + counter;
  if (!zero.empty()) {
    document.gap();
    document.line("Zero everywhere: " + zero);
  }
  if (summary.settings.size() < 2) return document;
  add_comparison(document, summary, "better", summary.better);
  add_comparison(document, summary, "worse", summary.worse);
  return document;
}

}  // namespace fcsim::report
