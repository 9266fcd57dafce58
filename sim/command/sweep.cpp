// fcsim sweep: a grid of settings over one trace.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/command/command.h"
#include "sim/report/exposure_report.h"
#include "sim/report/sweep_report.h"

namespace fcsim::command {
namespace {

struct SweepOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::vector<std::string> parameters;
  std::string format = "text";
  bool at_risk = false;
};

// The grid with what a power cut loses at each point.
int run_at_risk(const SweepOptions& options) {
  questions::exposure::ExposureRequest request;
  request.session.inputs = options.inputs;
  request.session.configuration = options.common.load_request();
  request.session.mount_point = options.common.mount_point;
  request.session.strict = options.common.strict;
  std::vector<questions::sweep::Parameter> parameters;
  for (const std::string& parameter : options.parameters)
    parameters.push_back(parameter_of("sweep", parameter));
  const auto rows = questions::exposure::by_setting(request, parameters);
  for (const std::string& warning : rows.warnings) warn(options.common, warning);
  print_document(report::exposure_settings_document(rows), options.format, options.common);
  return kDone;
}

int run(const SweepOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("sweep: expected a bundle, a trace or '-'");
  if (options.parameters.empty()) throw UsageError("sweep: expected -p KEY=VALUES");
  if (options.at_risk) return run_at_risk(options);
  questions::sweep::SweepRequest request;
  request.common = many_predictions("sweep", options.common, options.inputs);
  request.configuration = options.common.load_request();
  for (const std::string& parameter : options.parameters)
    request.parameters.push_back(parameter_of("sweep", parameter));
  const questions::sweep::Sweep result = questions::sweep::sweep(request);
  for (const std::string& warning : result.warnings) warn(options.common, warning);
  if (options.format == "json")
    print(report::sweep_json(result));
  else if (options.format == "csv")
    print(report::sweep_csv(result));
  else
    print_document(report::sweep_document(result), options.format, options.common);
  const bool any = std::any_of(result.rows.begin(), result.rows.end(),
                               [](const auto& row) { return row.outcome.error == nullptr; });
  if (!any) warn(options.common, "every point of the grid was refused");
  return any ? kDone : kFailed;
}

}  // namespace

void add_sweep(CLI::App& application, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("sweep", "predict a trace under a grid of settings");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  subcommand
      ->add_option("-p,--parameter", options->parameters,
                   "table.key=v1,v2,... or lo..hi*N or lo..hi+N (repeatable: the product)")
      ->allow_extra_args(false);
  subcommand->add_option("-f,--format", options->format, "text, markdown, csv or json")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json"}));
  subcommand->add_flag("--at-risk", options->at_risk,
                       "what a power cut loses beside what the journal costs");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
