// fcsim report: one page about traces.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "sim/command/command.h"
#include "sim/command/sides.h"
#include "sim/report/page/html.h"
#include "sim/report/page/page_document.h"
#include "sim/support/new_file.h"
#include "sim/support/rereadable_inputs.h"

namespace fcsim::command {
namespace {

struct ReportOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::vector<std::string> a, b;
  std::vector<std::string> set_a, set_b;
  std::vector<std::string> parameters;
  std::string output;
  std::string format;
  bool no_exposure = false;
};

// Folders are bundles, each a trace; files are one trace together.
std::vector<std::vector<std::string>> traces_of(const std::vector<std::string>& inputs) {
  std::vector<std::vector<std::string>> traces;
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (std::filesystem::is_directory(input, error))
      traces.push_back({input});
    else
      files.push_back(input);
  }
  if (!files.empty()) traces.push_back(std::move(files));
  return traces;
}

questions::overview::Overview look_at(const ReportOptions& options,
                                      const std::vector<std::string>& trace) {
  const support::RereadableInputs inputs(trace);
  questions::overview::OverviewRequest request;
  request.inputs = inputs.names();
  request.configuration = options.common.load_request();
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.threads = options.common.threads;
  request.data_at_risk = !options.no_exposure;
  if (!options.a.empty() || !options.b.empty() || !options.set_a.empty() ||
      !options.set_b.empty()) {
    const TwoSides sides =
        two_sides(options.common, options.a, options.b, options.set_a, options.set_b);
    request.a = sides.a;
    request.b = sides.b;
  }
  for (const std::string& parameter : options.parameters)
    request.parameters.push_back(parameter_of("report", parameter));
  questions::overview::Overview overview = questions::overview::look_at(request);
  overview.name = trace.front() == "-" ? "standard input" : trace.front();
  for (std::string& file : overview.explanation.trace_files)
    file = inputs.with_original_names(file);
  return overview;
}

int run(const ReportOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("report: expected bundles or traces");
  require_files("report", options.common);
  std::string format = options.format;
  if (format.empty()) format = "html";
  if (options.output.empty() && format == "html")
    throw UsageError("report: expected -o PAGE.html ('-o -' is standard output)");
  std::vector<questions::overview::Overview> overviews;
  for (const std::vector<std::string>& trace : traces_of(options.inputs)) {
    overviews.push_back(look_at(options, trace));
    for (const std::string& warning : overviews.back().warnings) warn(options.common, warning);
  }
  const report::Document document = report::page::page_document(overviews);
  if (format == "html" && !report::page::has_figures())
    warn(options.common,
         "this fcsim was built without libjs-vega: the page has tables and no "
         "figures");
  if (options.output.empty()) {
    print_document(document, format, options.common);
    return kDone;
  }
  const std::string text = format == "html"       ? report::page::html_of(document)
                           : format == "markdown" ? report::markdown_of(document)
                                                  : report::text_of(document, {});
  if (options.output == "-") {
    print(text);
    return kDone;
  }
  support::NewFile file(options.output);
  file.write(text);
  file.commit();
  return kDone;
}

}  // namespace

void add_report(CLI::App& application, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "report", "a page with figures: what happened, why, what to change");
  const auto repeatable = [](CLI::Option* option) { option->allow_extra_args(false); };
  subcommand->add_option("INPUT", options->inputs,
                         "bundles, each a trace, or the files of one trace, or '-'");
  subcommand->add_option("-o,--output", options->output, "the page's file; '-': standard output");
  repeatable(
      subcommand->add_option("-a", options->a, "A's configuration file (.toml) or kernel profile"));
  repeatable(subcommand->add_option("-b", options->b, "B's likewise"));
  repeatable(subcommand->add_option("--set-a", options->set_a, "table.key=value for A alone"));
  repeatable(subcommand->add_option("--set-b", options->set_b, "table.key=value for B alone"));
  repeatable(subcommand->add_option(
      "-p,--parameter", options->parameters,
      "table.key=v1,v2,... or lo..hi*N or lo..hi+N: a curve (repeatable: the product)"));
  subcommand->add_flag("--no-exposure", options->no_exposure,
                       "without data at risk, which takes another replay");
  subcommand
      ->add_option("-f,--format", options->format, "html, or the same numbers as text or markdown")
      ->check(CLI::IsMember({"html", "text", "markdown"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
