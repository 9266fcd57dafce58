#include "traces/bundle/bundle.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "model/common/error.h"

namespace fcsim::traces::bundle {
namespace {

// The first of `names` that is a file in `directory`; "" if none is.
std::string first_file(const std::filesystem::path& directory,
                       std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::error_code error;
    const std::filesystem::path path = directory / name;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return {};
}

std::string find_trace(const std::filesystem::path& directory) {
  return first_file(directory, {"trace.strace", "trace.strace.zst", "trace.strace.gz",
                                "trace.strace.xz", "trace.fct"});
}

}  // namespace

bool is_bundle(const std::string& path) {
  return !find_trace(path).empty();
}

Bundle find_bundle(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    throw model::InputError(model::Position{directory, 0, 0},
                            "expected a bundle, which is a directory");
  }
  Bundle bundle;
  bundle.directory = directory;
  bundle.trace = find_trace(directory);
  if (bundle.trace.empty()) {
    throw model::InputError(
        model::Position{directory, 0, 0},
        "expected a bundle: trace.strace (or .zst, .gz, .xz) or trace.fct is missing");
  }
  bundle.environment = first_file(directory, {"env.toml"});
  bundle.manifest = first_file(directory, {"manifest.tsv"});
  bundle.truth = first_file(directory, {"truth.toml"});
  bundle.commits = first_file(directory, {"commits.tsv.zst", "commits.tsv"});
  return bundle;
}

}  // namespace fcsim::traces::bundle
