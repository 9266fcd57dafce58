#include "sim/report/scenario_report.h"

#include <vector>

#include "sim/report/json_tables.h"
#include "sim/report/named_counters.h"
#include "sim/report/table.h"

namespace fcsim::report {
namespace {

std::string argument_of(const questions::scenario::Step& step) {
  return step.kind == questions::scenario::StepKind::drop_caches ? std::to_string(step.number)
                                                                 : step.text;
}

std::string description(const questions::scenario::Step& step) {
  const std::string argument = argument_of(step);
  return std::string(name(step.kind)) + (argument.empty() ? "" : " " + argument);
}

std::string steps_table(const questions::scenario::ScenarioResult& result) {
  TextTable table(
      {"step", "", "fast commit", "commits", "ineligible", "numblks", "transactions", "requested"},
      {false, true, true});
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const questions::scenario::StepResult& step = result.steps[i];
    std::vector<std::string> cells = {std::to_string(i + 1), description(step.step)};
    if (!step.mounted) {
      cells.insert(cells.end(), {"not mounted", "-", "-", "-", "-", "-"});
    } else {
      const engine::Prediction& p = step.counted;
      cells.insert(cells.end(), {p.fast_commit_active ? "on" : "off", std::to_string(p.commits),
                                 std::to_string(p.ineligible), std::to_string(p.numblks),
                                 std::to_string(p.transactions), std::to_string(p.requested)});
    }
    table.add(std::move(cells));
  }
  return table.text();
}

class Sections {
 public:
  explicit Sections(const TextStyle& style) : style_(style) {}

  void add(const std::string& title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    text_ += "\n" + (style_.color ? "\033[1m" + title + "\033[0m" : title) + "\n";
    for (const std::string& sentence : sentences) text_ += "  - " + sentence + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string scenario_text(const questions::scenario::ScenarioResult& result,
                          const TextStyle& style) {
  Sections sections(style);
  sections.add("What surprises", result.configuration.notes);
  std::vector<std::string> assumed = result.configuration.assumed;
  assumed.insert(assumed.end(), result.reservations.assumed.begin(),
                 result.reservations.assumed.end());
  sections.add("Assumed", assumed);
  std::vector<std::string> unseen;
  for (const auto& [what, count] : result.reservations.unsupported)
    unseen.push_back(what + ": " + std::to_string(count));
  sections.add("Not seen (the answer is a bound)", unseen);
  return steps_table(result) + "kernel rules: " + result.configuration.values.kernel.profile +
         "\n" + sections.text();
}

std::string scenario_json(const questions::scenario::ScenarioResult& result) {
  toml::array steps;
  for (const questions::scenario::StepResult& step : result.steps) {
    toml::table table;
    if (step.mounted) insert_counters(table, step.counted);
    table.insert_or_assign("step", std::string(name(step.step.kind)));
    table.insert_or_assign("argument", argument_of(step.step));
    table.insert_or_assign("line", static_cast<std::int64_t>(step.step.position.line));
    table.insert_or_assign("mounted", step.mounted);
    steps.push_back(std::move(table));
  }
  toml::table root;
  root.insert_or_assign("steps", std::move(steps));
  insert_reservations(root, result.configuration, result.reservations);
  return json_text(root);
}

std::string scenario_csv(const questions::scenario::ScenarioResult& result) {
  std::string text = "number,step,argument,counter,value\n";
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const questions::scenario::StepResult& step = result.steps[i];
    if (!step.mounted) continue;
    const std::string start = std::to_string(i + 1) + "," + std::string(name(step.step.kind)) +
                              "," + csv_field(argument_of(step.step)) + ",";
    for (const NamedCounter& counter : named_counters(step.counted))
      text += start + csv_field(counter.group + "." + counter.name) + "," +
              std::to_string(counter.value) + "\n";
  }
  return text;
}

}  // namespace fcsim::report
