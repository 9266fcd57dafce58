// fcsim compare: two configurations side by side.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/command/sides.h"
#include "sim/report/compare_report.h"

namespace fcsim::command {
namespace {

struct CompareOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::vector<std::string> a, b;          // configuration files and profiles
  std::vector<std::string> set_a, set_b;  // table.key=value
  std::size_t changes = 10;
  std::string format = "text";
};

int run(const CompareOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("compare: expected a bundle, a trace or '-'");
  if (options.a.empty() && options.b.empty() && options.set_a.empty() && options.set_b.empty())
    throw UsageError("compare: expected at least one of -a, -b, --set-a and --set-b");
  questions::compare::CompareRequest request;
  request.common = many_predictions("compare", options.common, options.inputs);
  const TwoSides sides =
      two_sides(options.common, options.a, options.b, options.set_a, options.set_b);
  request.a = sides.a;
  request.b = sides.b;
  request.changes = options.changes;
  const questions::compare::CompareResult result = questions::compare::compare(request);
  for (const std::string& warning : result.warnings) warn(options.common, warning);
  if (options.format == "json")
    print(report::compare_json(result));
  else
    print_document(report::compare_document(result), options.format, options.common);
  return kDone;
}

}  // namespace

void add_compare(CLI::App& application, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("compare", "predict a trace under two configurations");
  const auto repeatable = [](CLI::Option* option) { option->allow_extra_args(false); };
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  repeatable(
      subcommand->add_option("-a", options->a, "A's configuration file (.toml) or kernel profile"));
  repeatable(subcommand->add_option("-b", options->b, "B's likewise"));
  repeatable(subcommand->add_option("--set-a", options->set_a, "table.key=value for A alone"));
  repeatable(subcommand->add_option("--set-b", options->set_b, "table.key=value for B alone"));
  subcommand->add_option("--changes", options->changes,
                         "how many sync calls to list whose path changed");
  subcommand->add_option("-f,--format", options->format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
