// fcsim run: predict the counters for one bundle or trace.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/replay/session.h"
#include "sim/report/report.h"

namespace fcsim::command {
namespace {

struct RunOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format = "text";
};

void print_prediction(const RunOptions& options, const replay::Session& session) {
  const engine::Prediction& prediction = session.prediction;
  if (options.format == "json")
    print(report::json_report(session.configuration, prediction));
  else if (options.format == "csv")
    print(report::csv_report(prediction));
  else if (options.format == "kernel")
    print(report::kernel_report(prediction));
  else
    print_document(report::prediction_document(session.configuration, prediction), options.format,
                   options.common);
}

int run(const RunOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("run: expected a bundle, a trace or '-'");
  if (is_scenario(options.inputs))
    return run_scenario(options.inputs.front(), options.format, options.common);
  replay::SessionRequest request;
  request.inputs = options.inputs;
  request.configuration = options.common.load_request();
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.threads = options.common.threads;
  const replay::Session session = replay::predict(request);
  for (const std::string& warning : session.warnings) warn(options.common, warning);
  print_prediction(options, session);
  return kDone;
}

}  // namespace

void add_run(CLI::App& application, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("run", "predict the counters for a bundle or trace");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, '-', or a "
                         "scenario (a name ending in .toml)");
  subcommand->add_option("-f,--format", options->format, "text, markdown, json, csv or kernel")
      ->check(CLI::IsMember({"text", "markdown", "json", "csv", "kernel"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
