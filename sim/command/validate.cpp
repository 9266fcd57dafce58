// fcsim validate: predictions against what the kernel counted.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/command/command.h"
#include "sim/command/recording.h"
#include "sim/questions/exposure/cut_check.h"
#include "sim/questions/exposure/exposure.h"
#include "sim/questions/validate/live.h"
#include "sim/questions/validate/validate.h"
#include "sim/replay/bundle_search.h"
#include "sim/report/exposure_report.h"
#include "sim/report/validation_report.h"

namespace fcsim::command {
namespace {

struct ValidateOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  bool blocks = false;
  bool first_difference = false;
  bool live = false;
  bool cuts = false;
  bool replace = false;
  std::string keep;
  std::string truth;
  std::string truth_device;
  std::string format = "text";
};

questions::validate::LiveResult run_live(const ValidateOptions& options) {
  if (options.paths.empty()) throw UsageError("validate --live: expected a command after '--'");
  questions::validate::LiveRequest request;
  request.command = options.paths;
  request.configuration = options.common.load_request();
  request.keep = options.keep;
  request.replace = options.replace;
  request.temporary = temporary_directory();
  request.blocks = options.blocks;
  request.first_difference = options.first_difference;
  try {
    return questions::validate::validate_live(request);
  } catch (const machine::record::Interrupted& interrupted) {
    // All is cleaned up; a prediction that was under way must not be waited for.
    std::fprintf(stderr, "fcsim: validate --live: %s\n", strsignal(interrupted.number()));
    _exit(kFailed);
  }
}

int status_of(const ValidateOptions& options, const report::ValidationText& text) {
  if (text.nothing_compared()) warn(options.common, "validate: there was nothing to compare");
  return text.all_fine() ? kDone : kFailed;
}

// The text form: a line for each bundle as soon as it is done.
int print_as_they_come(const ValidateOptions& options,
                       const questions::validate::ValidateRequest& request) {
  report::ValidationText text(replay::find_bundles(options.paths), use_color(options.common));
  questions::validate::validate(
      request, [&](const questions::validate::BundleResult& result) { print(text.line(result)); });
  print(text.summary());
  return status_of(options, text);
}

int print_results(const ValidateOptions& options,
                  const std::vector<questions::validate::BundleResult>& results) {
  std::vector<std::string> paths;
  for (const questions::validate::BundleResult& result : results) paths.push_back(result.path);
  report::ValidationText text(paths, use_color(options.common));
  std::string lines;
  for (const questions::validate::BundleResult& result : results) lines += text.line(result);
  if (options.format == "json")
    print(report::validation_json(results));
  else if (options.format == "text")
    print(lines + text.summary());
  else
    print_document(report::validation_document(results), options.format, options.common);
  return status_of(options, text);
}

int live(const ValidateOptions& options) {
  const questions::validate::LiveResult result = run_live(options);
  if (result.recording.exit_status.value_or(0) != 0)
    warn(options.common,
         "the command ended with status " + std::to_string(*result.recording.exit_status));
  for (const std::string& sentence : result.recording.lacks)
    warn(options.common, "incomplete: " + sentence);
  return print_results(options, {result.comparison});
}

// Recordings of power cuts among the bundles: those with a list of cuts and of what survived.
std::vector<std::string> bundles_with_cuts(const std::vector<std::string>& bundles) {
  std::vector<std::string> with;
  for (const std::string& bundle : bundles)
    if (std::filesystem::exists(bundle + "/crash.toml") &&
        !questions::exposure::read_survivors(bundle).empty())
      with.push_back(bundle);
  return with;
}

questions::exposure::CutCheck check_bundle(const ValidateOptions& options,
                                           const std::string& bundle) {
  questions::exposure::ExposureRequest request;
  request.session.inputs = {bundle};
  request.session.configuration = options.common.load_request();
  request.session.strict = options.common.strict;
  request.cuts = questions::exposure::read_cuts(bundle + "/crash.toml");
  request.record_size = questions::exposure::read_record_size(bundle + "/crash.toml");
  request.risks = false;
  const questions::exposure::Exposure exposure = questions::exposure::expose(request);
  return questions::exposure::check_cuts(
      questions::exposure::read_survivors(bundle), report::survivors_tsv(exposure),
      questions::exposure::record_numbers(exposure.trace_files.at(0)));
}

// What is left after the cuts, beside what the kernel's replay left.
int validate_cuts(const ValidateOptions& options, const std::vector<std::string>& bundles) {
  report::Document document;
  report::Table table({"bundle", "cuts", "as recorded", "records", "right", "first difference"},
                      {true, false, false, false, false, true});
  bool all = true;
  for (const std::string& bundle : bundles) {
    const questions::exposure::CutCheck check = check_bundle(options, bundle);
    all &= check.same == check.points;
    table.add({bundle, std::to_string(check.points), std::to_string(check.same),
               std::to_string(check.records), std::to_string(check.right),
               check.differences.empty() ? "" : check.differences.front()});
  }
  document.table(std::move(table));
  print_document(document, options.format, options.common);
  return all ? kDone : kFailed;
}

int run(const ValidateOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.live) return live(options);
  if (options.replace || !options.keep.empty())
    throw UsageError("validate: --keep and --force belong to --live");
  if (options.paths.empty()) throw UsageError("validate: expected bundles or folders of bundles");
  if (options.cuts) {
    const std::vector<std::string> bundles =
        bundles_with_cuts(replay::find_bundles(options.paths));
    if (bundles.empty()) throw UsageError("validate --cuts: no bundle there has a crash.toml and "
                                          "survivors.tsv");
    return validate_cuts(options, bundles);
  }
  if (!options.truth.empty() && options.paths.size() != 1)
    throw UsageError("validate --truth: expected one trace or bundle");
  questions::validate::ValidateRequest request;
  request.truth = options.truth;
  request.truth_device = options.truth_device;
  request.paths = options.paths;
  request.configuration = options.common.load_request();
  request.threads = options.common.threads;
  request.strict = options.common.strict;
  request.blocks = options.blocks;
  request.first_difference = options.first_difference;
  if (!options.truth.empty()) {
    report::ValidationText text(options.paths, use_color(options.common));
    print(text.line(questions::validate::validate_bundle(options.paths.front(), request)));
    print(text.summary());
    return text.all_fine() ? kDone : kFailed;
  }
  if (options.format == "text") return print_as_they_come(options, request);
  std::vector<questions::validate::BundleResult> results;
  questions::validate::validate(
      request, [&](const questions::validate::BundleResult& result) { results.push_back(result); });
  return print_results(options, results);
}

}  // namespace

void add_validate(CLI::App& application, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("validate", "compare predictions with what the kernel counted");
  subcommand->add_option("PATH", options->paths,
                         "bundles, or folders in which bundles are looked for; with --live: a "
                         "command and its arguments, after '--'");
  subcommand->add_option("-f,--format", options->format, "text, markdown, csv or json")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json"}));
  subcommand->add_flag("--blocks", options->blocks,
                       "compare the blocks of each full commit with the kernel's too");
  subcommand->add_flag(
      "--first-difference", options->first_difference,
      "name the first commit that differs, and the line of the trace that caused it");
  subcommand->add_flag("--cuts", options->cuts,
                       "compare what is left after power cuts, for bundles that record it");
  subcommand->add_option("--truth", options->truth,
                         "compare the one trace or bundle with the commits in this text of ftrace, "
                         "'trace-cmd report' or 'perf script'");
  subcommand->add_option("--truth-device", options->truth_device,
                         "MAJOR,MINOR of the file system, where that text has several");
  subcommand->add_flag("--live", options->live,
                       "record the command on a fresh loop file system with the configuration's "
                       "[filesystem] and [mount] first (needs root)");
  subcommand->add_option("--keep", options->keep, "with --live: the bundle's folder to keep");
  subcommand->add_flag("--force", options->replace, "with --keep: replace the bundle there");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
