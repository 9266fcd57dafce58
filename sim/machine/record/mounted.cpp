#include "sim/machine/record/mounted.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "model/common/error.h"
#include "sim/machine/mountinfo.h"
#include "sim/machine/record/small_file.h"

namespace fcsim::machine::record {
namespace {

namespace fs = std::filesystem;

std::string device_name(dev_t number) {
  std::error_code error;
  const fs::path link = fs::read_symlink(
      "/sys/dev/block/" + std::to_string(major(number)) + ":" + std::to_string(minor(number)),
      error);
  return error ? "" : link.filename().string();
}

bool open_for_writing(const std::string& process, const std::string& descriptor) {
  const std::string text = read_small_file(process + "/fdinfo/" + descriptor).value_or("");
  const std::size_t at = text.find("flags:");
  return at != std::string::npos &&
         (std::strtoul(text.c_str() + at + 6, nullptr, 8) & O_ACCMODE) != O_RDONLY;
}

}  // namespace

bool Mounted::has_option(const std::string& name) const {
  return std::find(options.begin(), options.end(), name) != options.end();
}

Mounted find_mounted(const std::string& path) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) throw model::InputError({path, 0, 0}, error.message());
  const std::vector<MountEntry> entries =
      parse_mountinfo(read_small_file("/proc/self/mountinfo").value_or(""));
  const MountEntry* const entry = mount_of(entries, real);
  if (entry == nullptr)
    throw model::InputError(
        {path, 0, 0},
        "is on no file system that /proc/self/mountinfo lists; in a chroot only what is "
        "mounted inside of it can be seen");
  Mounted mounted;
  mounted.mount_point = entry->mount_point;
  mounted.type = entry->type;
  mounted.source = entry->source;
  mounted.number = makedev(entry->major_number, entry->minor_number);
  mounted.device = device_name(mounted.number);
  mounted.root = entry->root;
  mounted.whole = mounted.root == "/";
  mounted.options = entry->options;
  return mounted;
}

MountTree mounts_around(const Mounted& mounted, const std::string& mountinfo) {
  MountTree tree;
  for (const MountEntry& other : parse_mountinfo(mountinfo)) {
    if (other.mount_point == mounted.mount_point) continue;
    if (makedev(other.major_number, other.minor_number) == mounted.number && mounted.whole)
      tree.also_at.push_back(other.mount_point + "=" +
                             (other.root == "/" ? "." : other.root.substr(1)));
    else if (lies_below(other.mount_point, mounted.mount_point))
      tree.other_mounts.push_back(other.mount_point);
  }
  return tree;
}

MountTree mounts_around(const Mounted& mounted) {
  return mounts_around(mounted, read_small_file("/proc/self/mountinfo").value_or(""));
}

ProcessMount mount_of_process(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::error_code error;
  if (!fs::exists(process, error))
    throw model::InputError({process, 0, 0}, "there is no such process");
  std::map<std::string, std::size_t> files;
  std::size_t all = 0;
  for (const auto& entry : fs::directory_iterator(process + "/fd", error)) {
    const std::string descriptor = entry.path().filename().string();
    if (descriptor == "0" || descriptor == "1" || descriptor == "2") continue;
    struct stat status {};
    if (stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::error_code gone;
    const fs::path file = fs::read_symlink(entry.path(), gone);
    if (!open_for_writing(process, descriptor) || !fs::exists(file, gone)) continue;
    ++files[find_mounted(file.string()).mount_point];
    ++all;
  }
  if (!error && !files.empty()) {
    const auto most =
        std::max_element(files.begin(), files.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return {most->first, std::to_string(most->second) + " of the " + std::to_string(all) +
                             " files that it has open for writing lie there"};
  }
  const fs::path directory = fs::read_symlink(process + "/cwd", error);
  if (error)
    throw model::InputError({process, 0, 0},
                            "its files cannot be seen (" + error.message() +
                                "); run as its user or as root, or give --mount-point");
  return {find_mounted(directory.string()).mount_point,
          "it has no file open for writing, and its working directory lies there"};
}

}  // namespace fcsim::machine::record
