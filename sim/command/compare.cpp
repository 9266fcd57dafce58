// fcsim compare: two configurations side by side.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/command/command.h"
#include "sim/configuration/document.h"
#include "sim/configuration/keys.h"
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

// A profile's file begins with `summary` or `inherits`, outside of any table.
bool is_profile_file(const std::string& path) {
  for (const configuration::Entry& entry : configuration::read_document(path).entries)
    if (entry.table.empty() && (entry.key == "summary" || entry.key == "inherits")) return true;
  return false;
}

configuration::LoadRequest side(const char* option, const CommonOptions& common,
                                const std::vector<std::string>& given,
                                const std::vector<std::string>& settings) {
  configuration::LoadRequest request = common.load_request();
  for (const std::string& text : given) {
    if (text == "-") throw UsageError(std::string(option) + " -: expected a file or a profile");
    if (text.ends_with(".toml") && !is_profile_file(text))
      request.files.push_back(text);
    else
      request.profile = text;
  }
  request.settings.insert(request.settings.end(), settings.begin(), settings.end());
  return request;
}

// A file of rules without a kernel stands on the bundle's, or the default one: where the other side
// names a kernel, that is hardly what is asked for.
void check_kernels(const configuration::LoadRequest& named,
                   const configuration::LoadRequest& other) {
  if (named.profile.empty() || !other.profile.empty()) return;
  for (const std::string& file : other.files) {
    const std::vector<configuration::Entry> entries = configuration::read_document(file).entries;
    const auto names_kernel = [](const configuration::Entry& entry) {
      return entry.table == "kernel" && entry.key == "profile";
    };
    if (std::any_of(entries.begin(), entries.end(), names_kernel)) continue;
    for (const configuration::Entry& entry : entries)
      if (configuration::is_rule_table(entry.table))
        throw model::InputError(entry.position,
                                "this changes a kernel's rules and does not say which kernel's, "
                                "while the other side is '" +
                                    named.profile + "': begin the file with inherits = \"" +
                                    named.profile + "\"");
  }
}

int run(const CompareOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("compare: expected a bundle, a trace or '-'");
  if (options.a.empty() && options.b.empty() && options.set_a.empty() && options.set_b.empty())
    throw UsageError("compare: expected at least one of -a, -b, --set-a and --set-b");
  questions::compare::CompareRequest request;
  request.common = many_predictions("compare", options.common, options.inputs);
  request.a = side("-a", options.common, options.a, options.set_a);
  request.b = side("-b", options.common, options.b, options.set_b);
  check_kernels(request.a, request.b);
  check_kernels(request.b, request.a);
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
