#include "sim/command/running_kernel.h"

#include <algorithm>

namespace fcsim::command {
namespace {

// The profile of a release, as far as there is one: "6.18.44-1" is "6.18".
std::string profile_of(const std::string& release) {
  const std::size_t major = release.find('.');
  if (major == std::string::npos) return "";
  const std::string name = release.substr(0, release.find_first_not_of("0123456789", major + 1));
  const auto profiles = configuration::list_profiles(configuration_directories());
  const bool known = std::any_of(profiles.begin(), profiles.end(),
                                 [&](const auto& profile) { return profile.name == name; });
  return known ? name : "";
}

}  // namespace

configuration::LoadedConfiguration configuration_for(
    const std::string& command, const std::string& source, const CommonOptions& options,
    const machine::geometry::GeometryInput& input) {
  configuration::LoadedConfiguration loaded = configuration::load(options.load_request());
  const auto given = [&](std::string_view prefix) {
    return std::any_of(
        loaded.provenance.begin(), loaded.provenance.end(),
        [&](const configuration::Provenance& key) { return key.key.starts_with(prefix); });
  };
  if (given("filesystem."))
    warn(options,
         command + " takes [filesystem] from " + source + " and not from the configuration");
  if (!input.mounted || given("kernel.profile")) return loaded;
  const std::string profile = profile_of(input.mounted->release);
  if (profile.empty()) {
    warn(options, "there is no profile for the running kernel " + input.mounted->release +
                      ": the rules of " + loaded.values.kernel.profile);
    return loaded;
  }
  configuration::LoadRequest request = options.load_request();
  request.profile = profile;
  return configuration::load(request);
}

}  // namespace fcsim::command
