// fcsim run SCENARIO.toml: the counters after each of an administrator's steps and runs.
#include "sim/command/command.h"
#include "sim/report/scenario_report.h"

namespace fcsim::command {

bool is_scenario(const std::vector<std::string>& inputs) {
  return inputs.size() == 1 && inputs.front().ends_with(".toml");
}

int run_scenario(const std::string& path, const std::string& format, const CommonOptions& options) {
  if (format == "kernel")
    throw UsageError("run: a scenario has many readings; expected text, markdown, json or csv");
  questions::scenario::ScenarioRequest request;
  request.path = path;
  request.configuration = options.load_request();
  request.mount_point = options.mount_point;
  request.strict = options.strict;
  const questions::scenario::ScenarioResult result = questions::scenario::run_scenario(request);
  for (const std::string& warning : result.warnings) warn(options, warning);
  if (format == "json")
    print(report::scenario_json(result));
  else if (format == "csv")
    print(report::scenario_csv(result));
  else
    print_document(report::scenario_document(result), format, options);
  return kDone;
}

}  // namespace fcsim::command
