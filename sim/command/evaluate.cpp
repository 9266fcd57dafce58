// fcsim evaluate: what a kernel patch changes, as text for a cover letter.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "sim/command/command.h"
#include "sim/report/evaluate_report.h"
#include "sim/support/text.h"

namespace fcsim::command {
namespace {

// What git and the lists of the kernel wrap text at.
constexpr std::size_t kMailWidth = 72;

struct EvaluateOptions {
  CommonOptions common;
  std::string patch;
  std::vector<std::string> inputs;
  std::string against;
  std::string format = "text";
  std::size_t traces = 20;
  bool no_promises = false;
};

void show_evaluated(std::size_t done, std::size_t all) {
  if (done == all)
    std::fputs("\r\033[K", stderr);
  else
    std::fprintf(stderr, "\r%zu of %zu traces done ", done, all);
  std::fflush(stderr);
}

// Without what changes no number.
std::vector<std::string> command_words(const EvaluateOptions& options) {
  std::vector<std::string> words = {"fcsim", "evaluate", support::shell_word(options.patch)};
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back(option + " " + support::shell_word(value));
  };
  for (const std::string& input : options.inputs) words.push_back(support::shell_word(input));
  if (!options.against.empty()) add("--against", options.against);
  for (const std::string& file : options.common.configuration_files) add("-c", file);
  for (const std::string& setting : options.common.settings) add("--set", setting);
  if (!options.common.timing.empty()) add("--timing", options.common.timing);
  if (!options.common.mount_point.empty()) add("--mount-point", options.common.mount_point);
  return words;
}

int run(const EvaluateOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.patch.empty()) throw UsageError("evaluate: expected a patch (PATCH.toml)");
  if (options.inputs.empty()) throw UsageError("evaluate: expected folders, bundles or traces");
  if (!options.common.profile.empty())
    throw UsageError("evaluate: -k: the kernels are the patch and --against");
  require_files("evaluate", options.common);
  questions::evaluate::EvaluateRequest request;
  request.inputs = options.inputs;
  request.patch = options.patch;
  request.against = options.against;
  request.shared = options.common.load_request();
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.threads = options.common.threads;
  request.promises = !options.no_promises;
  if (!options.common.quiet && isatty(STDERR_FILENO) == 1) request.progress = show_evaluated;
  const questions::evaluate::Evaluation evaluation = questions::evaluate::evaluate(request);
  for (const std::string& warning : evaluation.warnings) warn(options.common, warning);
  report::EvaluateStyle style;
  style.traces = options.traces;
  style.commands = command_words(options);
  if (options.format == "json") {
    print(report::evaluate_json(evaluation, style));
  } else if (options.format == "markdown") {
    print(report::markdown_of(report::evaluate_document(evaluation, style)));
  } else {
    style.width = kMailWidth;
    print(report::text_of(report::evaluate_document(evaluation, style),
                          {use_color(options.common), kMailWidth}));
  }
  return evaluation.failed() == 0 ? kDone : kFailed;
}

}  // namespace

void add_evaluate(CLI::App& application, Action& action) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "evaluate", "what a kernel patch changes over many traces: a cover letter's table");
  subcommand->add_option("PATCH", options->patch,
                         "the patch's rules: a profile, or a file ending in .toml with inherits");
  subcommand->add_option("INPUT", options->inputs,
                         "folders with bundles below them, bundles, traces");
  subcommand->add_option("--against", options->against,
                         "the kernel without it (default: what the patch inherits from)");
  subcommand->add_option("--traces", options->traces, "how many traces to list at most");
  subcommand->add_flag("--no-promises", options->no_promises,
                       "do not look for broken promises, which takes two more replays");
  subcommand->add_option("-f,--format", options->format, "text (72 columns), markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
