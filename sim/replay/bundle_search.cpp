#include "sim/replay/bundle_search.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "model/common/error.h"
#include "traces/bundle/bundle.h"

namespace fcsim::replay {
namespace {

namespace fs = std::filesystem;

bool looks_like_bundle(const fs::path& folder) {
  std::error_code error;
  return traces::bundle::is_bundle(folder.string()) || fs::exists(folder / "env.toml", error) ||
         fs::exists(folder / "truth.toml", error);
}

// All bundles in the folder, whatever the order.
void search(const fs::path& folder, std::vector<std::string>& bundles) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) {
    bundles.push_back(folder.string());
    return;
  }
  for (const fs::directory_entry& entry : entries) {
    std::error_code ignored;  // what cannot be looked at is not a folder
    if (!entry.is_directory(ignored)) continue;
    if (looks_like_bundle(entry.path()))
      bundles.push_back(entry.path().string());
    else if (!entry.is_symlink(ignored))
      search(entry.path(), bundles);
  }
}

// The path without "./", "//" and the like, and without a slash at its end.
fs::path tidy(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path;
}

// What one folder stands for: itself, or what is below it.
std::vector<std::string> bundles_of(const std::string& folder) {
  const fs::path path = tidy(folder);
  std::error_code error;
  if (!fs::is_directory(path, error))
    throw model::InputError({folder, 0, 0},
                            error ? error.message() : "expected a bundle or a folder with bundles");
  if (looks_like_bundle(path)) return {path.string()};
  std::vector<std::string> bundles;
  search(path, bundles);
  if (bundles.empty())
    throw model::InputError(
        {folder, 0, 0},
        "has no bundle (a folder with trace.strace, trace.strace.zst or trace.fct) "
        "in it");
  for (std::string& bundle : bundles) bundle = tidy(bundle).string();
  std::sort(bundles.begin(), bundles.end());
  return bundles;
}

}  // namespace

std::vector<std::string> find_bundles(const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (const std::string& folder : folders)
    for (std::string& bundle : bundles_of(folder))
      if (seen.insert(bundle).second) all.push_back(std::move(bundle));
  return all;
}

}  // namespace fcsim::replay
