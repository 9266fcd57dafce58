// Loading a configuration: defaults, a kernel profile, files, settings, in this order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/error.h"
#include "sim/configuration/keys.h"

namespace fcsim::configuration {

// A fault of the command line's own text: --set, -k or -p.
class ArgumentError : public model::InputError {
 public:
  explicit ArgumentError(const model::InputError& fault) : InputError(fault) {}
};

// What to load. Later sources override earlier ones: files in order, then `profile`, then
// `settings`. A source that names a profile takes all of that profile's rules, so rules that
// earlier sources gave are gone; rules in the same source change the profile.
struct LoadRequest {
  std::vector<std::string> files;        // paths; "-" is standard input
  std::string profile;                   // -k: a name or a path ending in .toml; empty: not given
  std::vector<std::string> settings;     // --set: "table.key=value"
  std::vector<std::string> directories;  // searched for kernels/NAME.toml, first hit wins
};

// Where a value came from: every key that some source gave, in the order of configuration_keys().
struct Provenance {
  std::string key;     // "mount.data"
  std::string source;  // a position, "--set mount.data=journal", or "-k 6.18"
};

struct LoadedConfiguration : Settings {
  std::vector<std::string> assumed;  // a sentence for each group of defaults used
  std::vector<std::string> notes;    // what surprises about what was given
  std::vector<Provenance> provenance;
};

// Throws InputError with the position of the first fault, ArgumentError where that is in `profile`
// or in a text of `settings` by itself.
LoadedConfiguration load(const LoadRequest& request);

// The same for many configurations: profiles are read once, and so are the files and the profile
// that a request has in common with the one before. Files must not change meanwhile.
class Loader {
 public:
  Loader();
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  LoadedConfiguration load(const LoadRequest& request);

 private:
  struct Begun;
  std::unique_ptr<Begun> begun_;
};

// What a kernel profile is built on: the name or path of the profile that it inherits from, as
// load() takes it. `name` is a profile's name or a path ending in .toml. Throws InputError where
// there is no such profile, and where it inherits from none.
std::string parent_profile(const std::string& name, const std::vector<std::string>& directories);

struct ProfileSummary {
  std::string name;
  std::string summary;
};

// The profiles in the directories, sorted by name with numbers compared as numbers.
std::vector<ProfileSummary> list_profiles(const std::vector<std::string>& directories);

}  // namespace fcsim::configuration
