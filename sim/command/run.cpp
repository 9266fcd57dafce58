// fcsim run: predict the counters for one bundle or trace.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "model/common/error.h"
#include "sim/command/command.h"
#include "sim/replay/bundle_search.h"
#include "sim/replay/session.h"
#include "sim/report/bundles_report.h"
#include "sim/report/report.h"
#include "traces/bundle/bundle.h"

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

replay::SessionRequest request_of(const RunOptions& options) {
  replay::SessionRequest request;
  request.inputs = options.inputs;
  request.configuration = options.common.load_request();
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.threads = options.common.threads;
  return request;
}

// Several bundles, or a folder with bundles.
bool are_bundles(const std::vector<std::string>& inputs) {
  std::error_code error;
  for (const std::string& input : inputs)
    if (!std::filesystem::is_directory(input, error)) return false;
  return inputs.size() > 1 || !traces::bundle::is_bundle(inputs.front());
}

int run_bundles(const RunOptions& options) {
  if (options.format == "kernel")
    throw UsageError("run: -f kernel is of one bundle; expected text, markdown, json or csv");
  std::vector<report::BundlePrediction> predictions;
  int status = kDone;
  for (const std::string& bundle : replay::find_bundles(options.inputs)) {
    report::BundlePrediction& result = predictions.emplace_back();
    result.bundle = bundle;
    replay::SessionRequest request = request_of(options);
    request.inputs = {bundle};
    try {
      replay::Session session = replay::predict(request);
      for (const std::string& warning : session.warnings) warn(options.common, warning);
      result.prediction = std::move(session.prediction);
    } catch (const model::InputError& error) {
      result.error = error.what();
      status = kFailed;
    }
  }
  print_document(report::bundles_document(predictions), options.format, options.common);
  return status;
}

int run(const RunOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("run: expected a bundle, a trace or '-'");
  if (is_scenario(options.inputs))
    return run_scenario(options.inputs.front(), options.format, options.common);
  if (are_bundles(options.inputs)) return run_bundles(options);
  const replay::Session session = replay::predict(request_of(options));
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
                         "a bundle, a trace, the files of one 'strace -ff' together, '-', a "
                         "scenario (a name ending in .toml), or several bundles");
  subcommand->add_option("-f,--format", options->format, "text, markdown, json, csv or kernel")
      ->check(CLI::IsMember({"text", "markdown", "json", "csv", "kernel"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
