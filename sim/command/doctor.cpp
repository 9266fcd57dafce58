// fcsim doctor: what is wrong with fast commits on a file system, and what to type.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "model/common/error.h"
#include "sim/command/command.h"
#include "sim/command/running_kernel.h"
#include "sim/machine/geometry/mount_points.h"
#include "sim/machine/record/kernel_counters.h"
#include "sim/replay/inputs.h"
#include "sim/report/doctor_report.h"

namespace fcsim::command {
namespace {

using questions::doctor::Subject;

struct DoctorOptions {
  CommonOptions common;
  std::string input;
  std::string format = "text";
};

bool is_bundle(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / "env.toml", error);
}

Subject subject_of_bundle(const DoctorOptions& options, const std::string& path) {
  const replay::Inputs inputs = replay::find_inputs({path});
  configuration::LoadRequest request = options.common.load_request();
  request.files.insert(request.files.begin(), inputs.environment);
  const configuration::LoadedConfiguration loaded = configuration::load(request);
  machine::geometry::FilesystemOnDisk disk;
  disk.source = inputs.environment;
  disk.settings = loaded.values.filesystem;
  Subject subject;
  subject.source = path;
  subject.is_bundle = true;
  subject.geometry = machine::geometry::answer_geometry(disk, {}, loaded);
  if (!inputs.truth.empty()) subject.counters = questions::doctor::counters_of_bundle(inputs.truth);
  return subject;
}

Subject subject_of_filesystem(const DoctorOptions& options, const std::string& path) {
  const machine::geometry::GeometryInput input = machine::geometry::read_geometry(path, {});
  Subject subject;
  subject.source = input.filesystem.source.empty() ? path : input.filesystem.source;
  if (input.mounted) {
    subject.source = path;
    subject.device = input.mounted->device;
    subject.mount_point = input.mounted->mount_point;
    subject.release = input.mounted->release;
    subject.counters = machine::record::read_kernel_counters(input.mounted->name);
  }
  subject.needs_recovery = input.filesystem.needs_recovery;
  if (input.filesystem.journal) subject.journal_error = input.filesystem.journal->error;
  subject.geometry = machine::geometry::answer_geometry(
      input.filesystem, input.mounted, configuration_for("doctor", path, options.common, input));
  return subject;
}

void examine(const DoctorOptions& options, const std::string& path) {
  const Subject subject =
      is_bundle(path) ? subject_of_bundle(options, path) : subject_of_filesystem(options, path);
  print_document(report::doctor_document(subject), options.format, options.common);
}

// Those that can be read are told of; the others make the status 1.
int examine_all(const DoctorOptions& options) {
  const std::vector<std::string> points = machine::geometry::ext4_mount_points({});
  if (points.empty())
    throw UsageError(
        "doctor: no ext4 is mounted here; expected an image, a device, a mount point or a bundle");
  int status = kDone;
  bool first = true;
  for (const std::string& point : points) {
    try {
      if (!first && options.format != "json") print("\n");
      examine(options, point);
      first = false;
    } catch (const model::InputError& error) {
      std::fprintf(stderr, "fcsim: %s\n", error.what());
      status = kFailed;
    }
  }
  return status;
}

int run(const DoctorOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.input.empty()) return examine_all(options);
  examine(options, options.input);
  return kDone;
}

}  // namespace

void add_doctor(CLI::App& application, Action& action) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "doctor", "what keeps a file system from fast commits, and the commands that mend it");
  subcommand->add_option(
      "INPUT", options->input,
      "a device, a folder on a mounted file system, an image, what 'dumpe2fs -h' "
      "printed, or a bundle; without it every ext4 that is mounted");
  subcommand->add_option("-f,--format", options->format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
