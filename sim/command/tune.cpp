// fcsim tune: what to set, and why.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "sim/command/command.h"
#include "sim/report/exposure_report.h"
#include "sim/report/tune_report.h"
#include "sim/support/rereadable_inputs.h"

namespace fcsim::command {
namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string at_risk;
};

// The presets in devices/ of the configuration folders, by name; the first folder's one counts.
std::vector<questions::tune::NamedDevice> device_presets() {
  std::vector<questions::tune::NamedDevice> devices;
  for (const std::string& folder : configuration_directories()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "devices", error)) {
      const std::string name = entry.path().stem().string();
      const bool known =
          std::any_of(devices.begin(), devices.end(),
                      [&](const questions::tune::NamedDevice& d) { return d.name == name; });
      if (entry.path().extension() != ".toml" || known) continue;
      configuration::LoadRequest request;
      request.files = {entry.path().string()};
      request.directories = configuration_directories();
      devices.push_back({name, configuration::load(request).values.device});
    }
  }
  std::sort(devices.begin(), devices.end(),
            [](const questions::tune::NamedDevice& a, const questions::tune::NamedDevice& b) {
              return a.name < b.name;
            });
  return devices;
}

// "1s" or "0.5".
double seconds_of(std::string text) {
  if (text.ends_with('s')) text.pop_back();
  try {
    return static_cast<double>(questions::exposure::parse_seconds(text)) / 1e9;
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("tune: --at-risk: ") + error.what());
  }
}

// What bounds the data that a power cut loses.
int run_at_risk(const TuneOptions& options, const std::vector<std::string>& inputs) {
  questions::exposure::ExposureRequest request;
  request.session.inputs = inputs;
  request.session.configuration = options.common.load_request();
  request.session.mount_point = options.common.mount_point;
  request.session.strict = options.common.strict;
  const auto tuning = questions::exposure::tune_at_risk(request, seconds_of(options.at_risk));
  for (const std::string& warning : tuning.tried.warnings) warn(options.common, warning);
  print_document(report::exposure_tuning_document(tuning), options.format, options.common);
  return kDone;
}

int run(const TuneOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("tune: expected a bundle, a trace or '-'");
  const support::RereadableInputs inputs(options.inputs);  // a trace is read several times
  if (!options.at_risk.empty()) return run_at_risk(options, inputs.names());
  questions::tune::TuneRequest request;
  request.common = many_predictions("tune", options.common, inputs.names());
  request.configuration = options.common.load_request();
  request.devices = device_presets();
  const questions::tune::Tuning tuning = questions::tune::tune(request);
  for (const std::string& warning : tuning.warnings) warn(options.common, warning);
  if (options.format == "json")
    print(report::tune_json(tuning));
  else
    print_document(report::tune_document(tuning), options.format, options.common);
  return kDone;
}

}  // namespace

void add_tune(CLI::App& application, Action& action) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "tune", "the smallest settings that give the best achievable result");
  subcommand->add_option("INPUT", options->inputs,
                         "a bundle, a trace, the files of one 'strace -ff' together, or '-'");
  subcommand->add_option("-f,--format", options->format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  subcommand->add_option("--at-risk", options->at_risk,
                         "the cheapest settings with which a power cut loses at most so many "
                         "seconds of writes");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
