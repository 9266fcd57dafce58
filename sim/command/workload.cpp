// fcsim workload: a synthetic trace, as a bundle or as text.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/support/output_file.h"
#include "sim/support/size.h"
#include "sim/workload/bundle.h"

namespace fcsim::command {
namespace {

struct WorkloadOptions {
  std::string name;
  std::map<std::string, std::string> numbers;  // by the parameter's name, as written
  std::map<std::string, bool> flags;
  std::string output;
  std::string format = "bundle";
  std::string profile = "6.18";
  std::optional<std::int64_t> fast_commit_kib;
  bool plain = false;
  bool replace = false;
  CLI::App* subcommand = nullptr;
};

std::uint64_t number_of(const std::string& name, const std::string& text) {
  if (const auto number = support::parse_size(text)) return *number;
  throw UsageError("--" + name + ": expected a number, as 4096 or 64KiB or 1GiB, found '" + text +
                   "'");
}

workload::WorkloadRequest workload_of(const WorkloadOptions& options) {
  workload::WorkloadRequest request;
  request.name = options.name;
  for (const auto& [name, text] : options.numbers)
    if (options.subcommand->count("--" + name) != 0)
      request.given.emplace(name, number_of(name, text));
  for (const auto& [name, value] : options.flags)
    if (options.subcommand->count("--" + name) != 0) request.given.emplace(name, value ? 1 : 0);
  return request;
}

// A request that makes no sense is the command line's fault.
workload::WorkloadRequest checked_workload(const WorkloadOptions& options) {
  const workload::WorkloadRequest request = workload_of(options);
  try {
    workload::completed(request);
  } catch (const model::InputError& error) {
    throw UsageError(std::string("workload: ") + error.what());
  }
  return request;
}

std::string listing() {
  std::string text;
  for (const workload::WorkloadSummary& workload : workload::workloads()) {
    text += std::string(workload.name) + ": " + std::string(workload.summary) + "\n   ";
    for (const auto& [name, value] : workload.defaults)
      text += " --" + std::string(name) + "=" + std::to_string(value);
    text += "\n";
  }
  return text;
}

int write_text(const workload::WorkloadRequest& request, const std::string& output) {
  if (output.empty() || output == "-") {
    workload::write_workload(request, [](std::string_view text) { print(text); });
    return kDone;
  }
  support::OutputFile file(output);
  workload::write_workload(request, [&](std::string_view text) { file.write(text); });
  file.close();
  return kDone;
}

int run(const WorkloadOptions& options) {
  if (options.name.empty() || options.name == "help") {
    print(listing());
    return kDone;
  }
  const workload::WorkloadRequest request = checked_workload(options);
  if (options.format == "strace") return write_text(request, options.output);
  if (options.output.empty())
    throw UsageError("workload: expected -o BUNDLE, or -f strace for the text alone");
  workload::WorkloadBundleRequest bundle;
  bundle.workload = request;
  bundle.folder = options.output;
  bundle.profile = options.profile;
  bundle.fast_commit_kib = options.fast_commit_kib;
  bundle.compress = !options.plain;
  bundle.replace = options.replace;
  workload::write_workload_bundle(bundle);
  return kDone;
}

void add_parameters(CLI::App& subcommand, WorkloadOptions& options) {
  for (const workload::WorkloadParameter& parameter : workload::workload_parameters()) {
    const std::string name(parameter.name);
    const std::string option = "--" + name;
    const std::string help(parameter.documentation);
    if (parameter.unit == workload::ParameterUnit::flag)
      subcommand.add_flag(option + ",!--no-" + name, options.flags[name], help);
    else
      subcommand.add_option(
          option, options.numbers[name],
          help + (parameter.unit == workload::ParameterUnit::bytes          ? " (bytes)"
                  : parameter.unit == workload::ParameterUnit::microseconds ? " (microseconds)"
                                                                            : ""));
  }
}

}  // namespace

void add_workload(CLI::App& application, Action& action) {
  auto options = std::make_shared<WorkloadOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("workload", "write a synthetic trace, as a bundle or as text");
  options->subcommand = subcommand;
  subcommand->add_option("NAME", options->name,
                         "the workload; without one or with 'help': a list with their defaults");
  add_parameters(*subcommand, *options);
  subcommand->add_option("-o,--output", options->output, "the bundle's folder, or the text's file");
  subcommand->add_option("-f,--format", options->format, "bundle or strace (the text alone)")
      ->check(CLI::IsMember({"bundle", "strace"}));
  subcommand->add_option("-k,--kernel", options->profile, "kernel profile for env.toml");
  subcommand->add_option("--fast-commit-kib", options->fast_commit_kib,
                         "the fast-commit area as for mke2fs -J fast_commit_size= (KiB)");
  subcommand->add_flag("--plain", options->plain, "trace.strace, not compressed");
  subcommand->add_flag("--force", options->replace, "replace the bundle that is there");
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
