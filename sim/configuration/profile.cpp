#include "sim/configuration/profile.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "sim/configuration/configuration.h"
#include "sim/configuration/document.h"

namespace fcsim::configuration {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) {
  return name.ends_with(".toml");
}

// Digits compare as numbers: 6.1 < 6.12 < 7.0.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t i_end = i;
      std::size_t j_end = j;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (j_end < b.size() && digit(b[j_end])) ++j_end;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

struct FoundProfile {
  std::string name;
  fs::path path;
};

// The profiles of all folders in order; a name in an earlier folder hides later ones.
std::vector<FoundProfile> find_profiles(const std::vector<std::string>& directories) {
  std::vector<FoundProfile> profiles;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(directory) / "kernels", error)) {
      if (entry.path().extension() != ".toml") continue;
      const std::string name = entry.path().stem().string();
      const bool hidden = std::any_of(profiles.begin(), profiles.end(),
                                      [&](const FoundProfile& p) { return p.name == name; });
      if (!hidden) profiles.push_back({name, entry.path()});
    }
  }
  std::sort(profiles.begin(), profiles.end(), [](const FoundProfile& a, const FoundProfile& b) {
    return natural_less(a.name, b.name);
  });
  return profiles;
}

}  // namespace

std::string known_profiles(const std::vector<std::string>& directories) {
  std::string names;
  for (const FoundProfile& profile : find_profiles(directories))
    names += (names.empty() ? "" : ", ") + profile.name;
  return names.empty() ? "no profile was found; FCSIM_CONFIG_DIR names the folder of kernels/"
                       : "known are " + names + ", or give a path ending in .toml";
}

namespace {

// `relative_to`: the folder of the file that names the profile, for paths in `inherits`.
std::string find_profile(const std::string& name, const fs::path& relative_to,
                         const model::Position& named_at,
                         const std::vector<std::string>& directories) {
  if (is_path(name)) {
    const fs::path beside = relative_to / name;
    std::error_code error;  // a name too long, say, is of nothing that is there
    if (fs::exists(beside, error)) return beside.string();
    throw model::InputError(named_at, "there is no profile '" + name + "'");
  }
  const bool plain = name.find('/') == std::string::npos && name != "." && name != "..";
  for (const std::string& directory : directories) {
    std::error_code error;
    const fs::path path = fs::path(directory) / "kernels" / (name + ".toml");
    if (plain && fs::exists(path, error)) return path.string();
  }
  throw model::InputError(
      named_at, "there is no kernel profile '" + name + "'; " + known_profiles(directories));
}

struct ProfileFile {
  std::string path;
  Document document;
  std::string summary;
  std::string inherits;
  model::Position inherits_at;
};

std::string text_of(const Entry& entry) {
  if (const auto* text = std::get_if<std::string>(&entry.value)) return *text;
  throw model::InputError(entry.position,
                          "'" + entry.key + "' expects a string, found " + describe(entry.value));
}

ProfileFile read_profile(const std::string& path) {
  ProfileFile file;
  file.path = path;
  file.document = read_document(path);
  for (const TableHeader& header : file.document.tables) {
    if (is_rule_table(header.table)) continue;
    throw model::InputError(
        header.position,
        is_known_table(header.table)
            ? "[" + header.table +
                  "] is no table of kernel rules; it belongs in a "
                  "configuration file, not in a profile"
            : "unknown table [" + header.table + "]" + suggest_table(header.table));
  }
  for (const Entry& entry : file.document.entries) {
    if (!entry.table.empty()) continue;
    if (entry.key == "summary") {
      file.summary = text_of(entry);
    } else if (entry.key == "inherits") {
      file.inherits = text_of(entry);
      file.inherits_at = entry.position;
    } else {
      throw model::InputError(entry.position, "unknown key '" + entry.key +
                                                  "' at the top of a profile; expected 'summary', "
                                                  "'inherits' or a table of rules");
    }
  }
  return file;
}

// The profile and its ancestors, the oldest last.
std::vector<ProfileFile> ancestry(const std::string& name, const model::Position& named_at,
                                  const std::vector<std::string>& directories) {
  std::vector<ProfileFile> chain;
  std::set<fs::path> seen;
  std::string wanted = name;
  model::Position position = named_at;
  fs::path folder;
  while (!wanted.empty()) {
    const std::string path = find_profile(wanted, folder, position, directories);
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    if (error) throw model::InputError(position, path + ": " + error.message());
    if (!seen.insert(canonical).second)
      throw model::InputError(position, "profile '" + wanted + "' inherits from itself");
    chain.push_back(read_profile(path));
    if (is_path(wanted) && chain.back().inherits.empty())
      throw model::InputError({path, 1, 1},
                              "this profile does not say which kernel it changes: expected "
                              "inherits = \"NAME\" at the top; " +
                                  known_profiles(directories));
    folder = fs::path(path).parent_path();
    wanted = chain.back().inherits;
    position = chain.back().inherits_at;
  }
  return chain;
}

}  // namespace

const Key& checked_key(const Entry& entry) {
  const Key* key = find_key(entry.table, entry.key);
  if (key == nullptr)
    throw model::InputError(entry.position, "unknown key '" + entry.key + "' in [" + entry.table +
                                                "]" + suggest_key(entry.table, entry.key));
  if (const auto fault = complaint(*key, entry.value))
    throw model::InputError(entry.position, *fault);
  return *key;
}

const model::KernelRules& ProfileMemory::rules(const std::string& name,
                                               const model::Position& named_at) {
  if (name.empty()) throw model::InputError(named_at, "expected the name of a kernel profile");
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const std::vector<ProfileFile> chain = ancestry(name, named_at, directories_);
  Settings settings;  // keys of rules set its kernel and nothing else
  settings.values.kernel.profile = name;
  settings.values.kernel.summary = chain.front().summary;
  for (auto file = chain.rbegin(); file != chain.rend(); ++file)
    for (const Entry& entry : file->document.entries)
      if (!entry.table.empty()) checked_key(entry).set(settings, entry.value);
  return known_.emplace(name, std::move(settings.values.kernel)).first->second;
}

std::string parent_profile(const std::string& name, const std::vector<std::string>& directories) {
  const std::vector<ProfileFile> chain = ancestry(name, {"", 0, 0}, directories);
  const std::string& inherits = chain.front().inherits;
  if (inherits.empty())
    throw model::InputError({chain.front().path, 1, 1},
                            "this profile inherits from no other, so there is nothing to hold it "
                            "against: expected inherits = \"NAME\" at the top; " +
                                known_profiles(directories));
  return is_path(inherits) ? chain[1].path : inherits;
}

std::vector<ProfileSummary> list_profiles(const std::vector<std::string>& directories) {
  std::vector<ProfileSummary> profiles;
  for (const FoundProfile& profile : find_profiles(directories))
    profiles.push_back({profile.name, read_profile(profile.path.string()).summary});
  return profiles;
}

}  // namespace fcsim::configuration
