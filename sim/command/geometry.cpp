// fcsim geometry: a file system's tables, and what fast commit will do there.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "model/common/error.h"
#include "sim/command/command.h"
#include "sim/machine/geometry/answer.h"
#include "sim/machine/geometry/input.h"
#include "sim/machine/geometry/journal_log.h"

namespace fcsim::command {
namespace {

struct GeometryOptions {
  CommonOptions common;
  std::string input;
  std::string format = "text";
  bool log = false;
  bool whole_log = false;
};

// The profile of the running kernel where the file system is mounted, as far as there is one.
std::string profile_of(const std::string& release) {
  const std::size_t major = release.find('.');
  if (major == std::string::npos) return "";
  const std::string name = release.substr(0, release.find_first_not_of("0123456789", major + 1));
  const auto profiles = configuration::list_profiles(configuration_directories());
  const bool known = std::any_of(profiles.begin(), profiles.end(),
                                 [&](const auto& profile) { return profile.name == name; });
  return known ? name : "";
}

configuration::LoadedConfiguration load_configuration(
    const GeometryOptions& options, const machine::geometry::GeometryInput& input) {
  configuration::LoadedConfiguration loaded = configuration::load(options.common.load_request());
  const auto given = [&](std::string_view prefix) {
    return std::any_of(
        loaded.provenance.begin(), loaded.provenance.end(),
        [&](const configuration::Provenance& key) { return key.key.starts_with(prefix); });
  };
  if (given("filesystem."))
    warn(options.common,
         "geometry takes [filesystem] from " + options.input + " and not from the configuration");
  if (!input.mounted || given("kernel.profile")) return loaded;
  const std::string profile = profile_of(input.mounted->release);
  if (profile.empty()) {
    warn(options.common, "there is no profile for the running kernel " + input.mounted->release +
                             ": the rules of " + loaded.values.kernel.profile);
    return loaded;
  }
  configuration::LoadRequest request = options.common.load_request();
  request.profile = profile;
  return configuration::load(request);
}

std::string report(const GeometryOptions& options,
                   const machine::geometry::GeometryAnswer& answer) {
  if (options.format == "json") return machine::geometry::geometry_json(answer);
  if (options.format == "toml") return machine::geometry::geometry_toml(answer);
  return machine::geometry::geometry_text(answer);
}

// Where the area lies is decided by the mount that wrote the journal; of a journal that was
// closed, by the feature.
std::uint32_t area_of(const machine::geometry::FilesystemOnDisk& filesystem,
                      const model::KernelRules& kernel) {
  const bool present = filesystem.journal->fast_commit || filesystem.settings.has("fast_commit");
  if (!present) return 0;
  const std::uint32_t stored = filesystem.journal->fast_commit_blocks;
  return stored != 0 ? stored : kernel.fast_commit.default_blocks;
}

int list_log(const GeometryOptions& options, const machine::geometry::GeometryInput& input,
             const model::KernelRules& kernel) {
  if (input.image == nullptr)
    throw model::InputError({options.input, 0, 0}, "--log needs an image or a device with ext4");
  if (input.image->journal() == nullptr)
    throw model::InputError({options.input, 0, 0}, "there is no journal to list");
  const bool json = options.format == "json";
  std::size_t records = 0;
  std::size_t faults = 0;
  machine::geometry::LogRequest request;
  request.scope =
      options.whole_log ? machine::geometry::LogScope::whole : machine::geometry::LogScope::live;
  request.area_blocks = area_of(input.filesystem, kernel);
  request.record = [&](const machine::geometry::LogRecord& record) {
    if (!record.fault.empty()) ++faults;
    const char* const before = records++ == 0 ? "{\"log\": [\n" : ",\n";
    print(json ? before + machine::geometry::log_json(record)
               : machine::geometry::log_line(record));
  };
  machine::geometry::read_log(*input.filesystem.journal, *input.image->journal(), request);
  if (json) print("\n]}\n");
  if (faults == 0) return kDone;
  throw model::InputError({options.input, 0, 0},
                          std::to_string(faults) + " of the journal's records are wrong");
}

int run(const GeometryOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.input.empty())
    throw UsageError("geometry: expected an image, a device, a mount point, or '-'");
  const bool log = options.log || options.whole_log;
  if (log && options.format == "toml") throw UsageError("geometry: --log has no form toml");
  const machine::geometry::GeometryInput input =
      machine::geometry::read_geometry(options.input, {});
  const configuration::LoadedConfiguration loaded = load_configuration(options, input);
  if (log) return list_log(options, input, loaded.values.kernel);
  print(
      report(options, machine::geometry::answer_geometry(input.filesystem, input.mounted, loaded)));
  return kDone;
}

}  // namespace

void add_geometry(CLI::App& application, Action& action) {
  auto options = std::make_shared<GeometryOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "geometry", "a file system's [filesystem] table, and what fast commit will do there");
  subcommand->add_option("INPUT", options->input,
                         "an image, a device, a folder on a mounted file system, or what "
                         "'dumpe2fs -h' or xfs_info printed ('-': standard input)");
  subcommand->add_option("-f,--format", options->format, "text, toml or json")
      ->check(CLI::IsMember({"text", "toml", "json"}));
  subcommand->add_flag("--log", options->log,
                       "list the journal's records that recovery would read instead");
  subcommand->add_flag("--whole-log", options->whole_log,
                       "list all records, those of earlier commits too");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
