// fcsim exposure: what a power cut loses.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/questions/exposure/exposure.h"
#include "sim/report/exposure_report.h"

namespace fcsim::command {
namespace {

using questions::exposure::Cut;

struct ExposureOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format;
  std::vector<std::string> at;
  std::string at_file;
  std::string kept;
  std::vector<std::string> parameters;
};

// Earlier moments than this are not times of our days.
constexpr model::Time kClock = model::Time{100'000'000} * 1'000'000'000;

std::vector<Cut> cuts_of(const ExposureOptions& options) {
  std::vector<Cut> cuts;
  const auto kept = options.kept == "completed" ? model::exposure::Kept::completed
                                                : model::exposure::Kept::flushed;
  if (!options.at_file.empty()) {
    cuts = questions::exposure::read_cuts(options.at_file);
    if (!options.at_file.ends_with(".toml"))
      for (Cut& cut : cuts) cut.kept = kept;
    else if (!options.kept.empty())
      std::erase_if(cuts, [&](const Cut& cut) { return cut.kept != kept; });
  }
  try {
    for (const std::string& time : options.at)
      cuts.push_back({cuts.size(), questions::exposure::parse_seconds(time), kept});
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("exposure: --at: ") + error.what());
  }
  return cuts;
}

constexpr std::size_t kShownHalfStates = 10;

int run_grid(const ExposureOptions& options, const questions::exposure::ExposureRequest& request) {
  std::vector<questions::sweep::Parameter> parameters;
  for (const std::string& parameter : options.parameters)
    parameters.push_back(parameter_of("exposure", parameter));
  const auto rows = questions::exposure::by_setting(request, parameters);
  for (const std::string& warning : rows.warnings) warn(options.common, warning);
  print_document(report::exposure_settings_document(rows), options.format, options.common);
  return kDone;
}

int run(const ExposureOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("exposure: expected a bundle, a trace or '-'");
  require_files("exposure", options.common);
  questions::exposure::ExposureRequest request;
  request.session.inputs = options.inputs;
  request.session.configuration = options.common.load_request();
  request.session.mount_point = options.common.mount_point;
  request.session.strict = options.common.strict;
  request.session.threads = options.common.threads;
  request.cuts = cuts_of(options);
  const bool survivors = options.format == "survivors";
  if (survivors && request.cuts.empty())
    throw UsageError("exposure: -f survivors: expected --at or --at-file");
  request.seconds_after_begin = !request.cuts.empty() && request.cuts.front().time < kClock;
  request.risks = !survivors;
  request.record_size = questions::exposure::read_record_size(options.at_file);
  if (!options.parameters.empty()) return run_grid(options, request);
  const questions::exposure::Exposure exposure = questions::exposure::expose(request);
  for (const std::string& warning : exposure.warnings) warn(options.common, warning);
  if (survivors)
    print(report::survivors_tsv(exposure));
  else
    print_document(
        report::exposure_document(exposure, options.format == "text" ? kShownHalfStates : ~0UL),
        options.format, options.common);
  return kDone;
}

}  // namespace

void add_exposure(CLI::App& application, Action& action) {
  auto options = std::make_shared<ExposureOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("exposure", "what a power cut loses, and when");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  options->format = "text";
  subcommand
      ->add_option("-f,--format", options->format,
                   "text, markdown, csv, json, or survivors (what is there after a cut and the "
                   "replay of the log)")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json", "survivors"}));
  subcommand
      ->add_option("-p,--parameter", options->parameters,
                   "table.key=v1,v2,...: data at risk and its cost by setting (repeatable)")
      ->allow_extra_args(false);
  subcommand
      ->add_option("--at", options->at,
                   "moments of the cut: seconds after the trace's first line, or of its clock")
      ->delimiter(',');
  subcommand->add_option("--at-file", options->at_file,
                         "such moments, one a line, or the points of a crash.toml");
  subcommand
      ->add_option("--kept", options->kept,
                   "flushed (the device's cache is lost) or completed (it is kept)")
      ->check(CLI::IsMember({"flushed", "completed"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
