// fcsim explain: why each full commit happened.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/report/explain_report.h"

namespace fcsim::command {
namespace {

struct ExplainOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format = "text";
  bool fast = false;
  std::size_t limit = 0;
  std::string cause;
  std::string file;
  std::optional<std::int32_t> pid;
};

questions::explain::ExplainRequest request_of(const ExplainOptions& options) {
  questions::explain::ExplainRequest request;
  request.session.inputs = options.inputs;
  request.session.configuration = options.common.load_request();
  request.session.mount_point = options.common.mount_point;
  request.session.strict = options.common.strict;
  request.session.threads = options.common.threads;
  const bool perfetto = options.format == "perfetto";
  request.attempts = options.fast || perfetto;
  request.sync_calls = perfetto;
  request.times = options.format != "csv" && !perfetto;
  request.advice = options.format != "csv" && !perfetto;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (options.cause == model::kCauseNames[cause])
      request.filter.cause = static_cast<model::Cause>(cause);
  request.filter.file = options.file;
  request.filter.pid = options.pid;
  return request;
}

void check(const ExplainOptions& options) {
  if (options.inputs.empty()) throw UsageError("explain: expected a bundle, a trace or '-'");
  require_files("explain", options.common);
  const bool chosen =
      options.limit != 0 || !options.cause.empty() || !options.file.empty() || options.pid;
  if (options.format == "perfetto" && chosen)
    throw UsageError(
        "explain: -f perfetto is of the whole trace: expected no --limit, --cause, "
        "--file or --pid");
}

int run(const ExplainOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  check(options);
  const questions::explain::Explanation explanation =
      questions::explain::explain(request_of(options));
  for (const std::string& warning : explanation.warnings) warn(options.common, warning);
  if (options.format == "perfetto")
    print(report::explain_perfetto(explanation));
  else if (options.format == "json")
    print(report::explain_json(explanation, options.limit));
  else if (options.format == "csv")
    print(report::explain_csv(explanation, options.limit));
  else
    print_document(report::explain_document(explanation, options.limit), options.format,
                   options.common);
  return kDone;
}

}  // namespace

void add_explain(CLI::App& application, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "explain", "each full commit, its cause and the line of the trace that caused it");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  subcommand
      ->add_option(
          "-f,--format", options->format,
          "text, markdown, json, csv, or perfetto (for ui.perfetto.dev and chrome://tracing)")
      ->check(CLI::IsMember({"text", "markdown", "json", "csv", "perfetto"}));
  subcommand->add_flag("--fast", options->fast,
                       "fast commits, and fsyncs that became none, as well");
  subcommand->add_option("--limit", options->limit, "lines of the list at most (0: all)")
      ->check(CLI::NonNegativeNumber);
  const std::vector<std::string> causes(model::kCauseNames.begin(), model::kCauseNames.end());
  subcommand->add_option("--cause", options->cause, "only full commits of this cause")
      ->check(CLI::IsMember(causes));
  subcommand->add_option("--file", options->file,
                         "only commits that a call on this file caused (path as listed)");
  subcommand->add_option("--pid", options->pid, "only commits that a call of this pid caused");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
