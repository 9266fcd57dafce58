#include "sim/report/scenario_report.h"

#include <vector>

#include "sim/report/json_parts.h"
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

std::string argument_of(const replay::Step& step) {
  return step.kind == replay::StepKind::drop_caches ? std::to_string(step.number) : step.text;
}

std::string description(const replay::Step& step) {
  const std::string argument = argument_of(step);
  return std::string(name(step.kind)) + (argument.empty() ? "" : " " + argument);
}

// The counters that every table shows.
std::vector<const model::Counter*> main_counters() {
  std::vector<const model::Counter*> counters;
  for (const model::CounterGroup& group : model::counter_groups())
    for (const model::Counter& counter : group.counters)
      if (counter.main) counters.push_back(&counter);
  return counters;
}

Table steps_table(const questions::scenario::ScenarioResult& result) {
  const std::vector<const model::Counter*> counters = main_counters();
  std::vector<std::string> header = {"step", "", "fast commit"};
  for (const model::Counter* counter : counters) header.emplace_back(counter->name);
  Table table(header, {false, true, true});
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const questions::scenario::StepResult& step = result.steps[i];
    std::vector<std::string> cells = {std::to_string(i + 1), description(step.step)};
    if (!step.mounted) {
      cells.emplace_back("not mounted");
      cells.insert(cells.end(), counters.size(), "-");
    } else {
      cells.emplace_back(step.counted.fast_commit_active ? "on" : "off");
      for (const model::Counter* counter : counters)
        cells.push_back(std::to_string(counter->value.read(step.counted)));
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

Document scenario_document(const questions::scenario::ScenarioResult& result) {
  Document document;
  document.table(steps_table(result));
  document.line("kernel rules: " + result.configuration.values.kernel.profile);
  add_basis(document, result.configuration, result.basis);
  return document;
}

std::string scenario_json(const questions::scenario::ScenarioResult& result) {
  support::Json root = {{"steps", support::Json::array()}};
  for (const questions::scenario::StepResult& step : result.steps) {
    support::Json object = {{"step", std::string(name(step.step.kind))},
                            {"argument", argument_of(step.step)},
                            {"line", step.step.position.line},
                            {"mounted", step.mounted}};
    if (step.mounted) insert_counters(object, step.counted);
    root["steps"].push_back(std::move(object));
  }
  insert_basis(root, result.configuration, result.basis);
  return support::json_text(root);
}

std::string scenario_csv(const questions::scenario::ScenarioResult& result) {
  Table table({"number", "step", "argument", "counter", "value"});
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const questions::scenario::StepResult& step = result.steps[i];
    if (!step.mounted) continue;
    for (const model::NamedCounter& counter : named_counters(step.counted))
      table.add({std::to_string(i + 1), std::string(name(step.step.kind)), argument_of(step.step),
                 counter.full_name(), std::to_string(counter.value)});
  }
  return csv_of(table);
}

}  // namespace fcsim::report
