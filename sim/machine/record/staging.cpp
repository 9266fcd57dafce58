#include "sim/machine/record/staging.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "model/common/error.h"

namespace fcsim::machine::record {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 8> kFiles = {"trace.strace", "trace.strace.zst", "trace.fct",
                                               "env.toml",     "manifest.tsv",     "truth.toml",
                                               "commits.tsv",  "commits.tsv.zst"};

// The folder in which a bundle grows that will replace or be moved; beside or within it.
constexpr const char* kUnfinished = "unfinished";

bool on_device(const std::string& folder, dev_t device) {
  struct stat status {};
  return stat(folder.c_str(), &status) != 0 || status.st_dev == device;
}

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw model::InputError({path.string(), 0, 0}, what);
}

void check_replaceable(const std::string& bundle, bool replace) {
  for (const auto& entry : fs::directory_iterator(bundle)) {
    const std::string name = entry.path().filename().string();
    if (name == kUnfinished)
      fail(entry.path(), "was left by a recording that was killed; use or remove it first");
    if (!replace) fail(bundle, "holds something already; --force replaces a bundle");
    if (std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end())
      fail(entry.path(), "is not a file of a bundle; expected a bundle to replace");
  }
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error)
    fail(to, "cannot be written: " + error.message() + "; the recording is in " +
                 from.parent_path().string());
  fs::remove(from, error);
}

}  // namespace

Staging::Staging(std::string bundle, bool replace, dev_t recorded, const std::string& temporary)
    : bundle_(std::move(bundle)) {
  std::error_code error;
  made_bundle_ = fs::create_directories(bundle_, error);
  if (error) fail(bundle_, "cannot be made: " + error.message());
  if (!fs::is_directory(bundle_)) fail(bundle_, "is not a folder");
  bundle_ = fs::canonical(bundle_).string();
  check_replaceable(bundle_, replace);
  choose_folder(recorded, temporary);
}

void Staging::choose_folder(dev_t recorded, const std::string& temporary) {
  std::vector<std::string> parents = {temporary.empty() ? "/tmp" : temporary, "/dev/shm", "/run"};
  const auto parent = std::find_if(parents.begin(), parents.end(), [&](const std::string& folder) {
    return !on_device(folder, recorded) && access(folder.c_str(), W_OK) == 0;
  });
  const bool own = on_device(bundle_, recorded);
  disturbs_ = own && parent == parents.end();
  if (!own || disturbs_) {
    folder_ = bundle_ + "/" + kUnfinished;
    if (mkdir(folder_.c_str(), 0700) == 0) return;
  } else {
    folder_ = *parent + "/fcsim-record-XXXXXX";
    if (mkdtemp(folder_.data()) != nullptr) return;
  }
  const int error = errno;
  fail(std::exchange(folder_, ""), std::string("cannot be made: ") + std::strerror(error));
}

Staging::~Staging() {
  std::error_code error;
  if (!keep_ && !folder_.empty()) fs::remove_all(folder_, error);
  if (!keep_ && made_bundle_) fs::remove(bundle_, error);
}

void Staging::finish() {
  std::error_code error;
  for (const char* name : kFiles) fs::remove(fs::path(bundle_) / name, error);
  for (const char* name : kFiles) {
    if (!fs::exists(path(name))) continue;
    // Names of files and arguments of programs are for their owner alone.
    fs::permissions(path(name), fs::perms::owner_read | fs::perms::owner_write, error);
    move_file(path(name), fs::path(bundle_) / name);
  }
  fs::remove(folder_, error);
}

}  // namespace fcsim::machine::record
