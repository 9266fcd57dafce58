// fcsim fit: the times of the device that a trace was recorded on.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/report/fit_report.h"
#include "sim/support/output_file.h"

namespace fcsim::command {
namespace {

struct FitOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string output;
};

int run(const FitOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("fit: expected a bundle, a trace or '-'");
  require_files("fit", options.common);
  replay::SessionRequest request;
  request.inputs = options.inputs;
  request.configuration = options.common.load_request();
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.threads = options.common.threads;
  const questions::fit::DeviceFit fit = questions::fit::fit(request);
  for (const std::string& warning : fit.warnings) warn(options.common, warning);
  if (!options.output.empty()) {
    support::OutputFile file(options.output);
    file.write(report::fit_toml(fit));
    file.close();
  }
  if (!fit.reliable()) warn(options.common, report::fit_reliability(fit));
  if (options.format == "toml")
    print(report::fit_toml(fit));
  else if (options.format == "json")
    print(report::fit_json(fit));
  else
    print_document(report::fit_document(fit), options.format, options.common);
  return kDone;
}

}  // namespace

void add_fit(CLI::App& application, Action& action) {
  auto options = std::make_shared<FitOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "fit", "estimate a device's times from how long a trace's fsyncs took");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  subcommand->add_option("-f,--format", options->format, "text, markdown, json or toml")
      ->check(CLI::IsMember({"text", "markdown", "json", "toml"}));
  subcommand->add_option("-o,--output", options->output,
                         "also write the [device] table to this file, for -c");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
