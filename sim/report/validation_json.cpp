#include <algorithm>

#include "sim/report/validation_report.h"
#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using support::Json;
namespace validate = questions::validate;

Json counters_json(const std::vector<validate::ComparedCounter>& counters) {
  Json array = Json::array();
  for (const validate::ComparedCounter& counter : counters)
    array.push_back(
        {{"counter", counter.name},
         {"predicted", counter.predicted},
         {"kernel", counter.truth},
         {"difference", counter.difference()},
         {"spread", counter.has_spread ? Json{counter.spread.lowest, counter.spread.highest}
                                       : Json(nullptr)}});
  return array;
}

Json line_json(const std::optional<validate::TraceLine>& line) {
  if (!line) return nullptr;
  return {{"file", line->position.file}, {"line", line->position.line}, {"text", line->text}};
}

Json first_json(const validate::BundleResult& result) {
  if (!result.first) return nullptr;
  const validate::FirstDifference& first = *result.first;
  return {{"kind", first.full ? "full" : "fast"},
          {"number", first.number + 1},
          {"time_ns", first.time},
          {"predicted", first.predicted},
          {"predicted_line", line_json(result.predicted_line)},
          {"kernel", first.kernel},
          {"kernel_line", line_json(result.kernel_line)}};
}

Json bundle_json(const validate::BundleResult& result) {
  Json object = {{"bundle", result.path},
                 {"verdict", std::string(name(result.verdict))},
                 {"reason", result.reason},
                 {"counters", counters_json(result.counters)},
                 {"stages", Json::array()},
                 {"blocks", nullptr},
                 {"first_difference", first_json(result)}};
  for (const validate::StageResult& stage : result.stages)
    object["stages"].push_back({{"admin", stage.admin},
                                {"verdict", std::string(name(stage.verdict))},
                                {"counters", counters_json(stage.counters)}});
  if (result.blocks)
    object["blocks"] = {{"full_commits", result.blocks->full_commits},
                        {"equal", result.blocks->equal},
                        {"equal_handles", result.blocks->equal_handles}};
  return object;
}

std::string compared(const std::vector<validate::ComparedCounter>& counters,
                     std::string_view wanted) {
  for (const validate::ComparedCounter& counter : counters) {
    if (counter.name != wanted) continue;
    const std::string predicted = std::to_string(counter.predicted);
    return counter.exact() ? predicted
                           : predicted + " (kernel " + std::to_string(counter.truth) + ")";
  }
  return "-";
}

// Counters that differ and have no column of their own.
std::string others(const validate::BundleResult& result, const std::vector<std::string>& columns) {
  std::string text = result.reason;
  for (const validate::ComparedCounter& counter : result.counters) {
    if (counter.exact() || std::find(columns.begin(), columns.end(), counter.name) != columns.end())
      continue;
    text += (text.empty() ? "" : ", ") + counter.name + " " + compared({counter}, counter.name);
  }
  return text;
}

std::vector<std::string> main_names() {
  std::vector<std::string> names;
  for (const model::CounterGroup& group : model::counter_groups())
    for (const model::Counter& counter : group.counters)
      if (counter.main)
        names.push_back(std::string(group.truth_prefix) + std::string(counter.name));
  return names;
}

}  // namespace

Document validation_document(const std::vector<validate::BundleResult>& results) {
  const std::vector<std::string> names = main_names();
  std::vector<std::string> header = {"bundle", "verdict"};
  header.insert(header.end(), names.begin(), names.end());
  std::vector<std::string> paths;
  for (const validate::BundleResult& result : results) paths.push_back(result.path);
  ValidationText text(paths);
  Table table(header, {true, true});
  for (const validate::BundleResult& result : results) {
    text.line(result);  // to be counted
    std::vector<std::string> cells = {text.short_name(result.path),
                                      std::string(name(result.verdict))};
    for (const std::string& counter : names) cells.push_back(compared(result.counters, counter));
    table.add(std::move(cells), others(result, names));
  }
  Document document;
  document.table(std::move(table));
  document.line(text.verdicts());
  if (const std::string blocks = text.blocks_summary(); !blocks.empty()) document.line(blocks);
  return document;
}

std::string validation_json(const std::vector<validate::BundleResult>& results) {
  Json root = {{"bundles", Json::array()}, {"summary", Json::object()}};
  for (const validate::Verdict verdict :
       {validate::Verdict::exact, validate::Verdict::within_spread, validate::Verdict::differs,
        validate::Verdict::failed, validate::Verdict::skipped})
    root["summary"][std::string(name(verdict))] = std::count_if(
        results.begin(), results.end(),
        [&](const validate::BundleResult& result) { return result.verdict == verdict; });
  for (const validate::BundleResult& result : results)
    root["bundles"].push_back(bundle_json(result));
  return support::json_text(root);
}

}  // namespace fcsim::report
