// fcsim tune: what to set, and why.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "sim/command/command.h"
#include "sim/report/tune_report.h"
#include "sim/support/rereadable_inputs.h"

namespace fcsim::command {
namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  CommonOptions common;
  std::vector<std::string> inputs;
  std::string format = "text";
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

int run(const TuneOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.inputs.empty()) throw UsageError("tune: expected a bundle, a trace or '-'");
  const support::RereadableInputs inputs(options.inputs);  // a trace is read several times
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
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
