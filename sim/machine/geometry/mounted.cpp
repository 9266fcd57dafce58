#include "sim/machine/geometry/mounted.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/common/error.h"
#include "sim/machine/kernel_counters.h"
#include "sim/machine/mount_options.h"
#include "sim/machine/mountinfo.h"
#include "sim/support/text.h"

namespace fcsim::machine::geometry {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::vector<MountEntry> mount_entries(const SystemFolders& system) {
  const std::string path = system.proc + "/self/mountinfo";
  const auto text = read_text(path);
  if (!text) throw model::InputError({path, 0, 0}, std::strerror(errno));
  return parse_mountinfo(*text);
}

bool is_known_type(const MountEntry& entry) {
  return entry.type == "ext4" || entry.type == "xfs";
}

std::string device_numbers(const MountEntry& entry) {
  return std::to_string(entry.major_number) + ":" + std::to_string(entry.minor_number);
}

// What cannot be read, or not be understood, is not known.
void read_counters(const SystemFolders& system, MountedFilesystem& mounted) {
  const auto fc_info = read_text(system.proc + "/fs/ext4/" + mounted.name + "/fc_info");
  const auto info = read_text(system.proc + "/fs/jbd2/" + mounted.name + "-8/info");
  if (info)
    if (const std::uint64_t limit = parse_jbd2_info(*info).max_transaction_blocks; limit != 0)
      mounted.max_transaction_blocks = static_cast<std::uint32_t>(limit);
  if (!fc_info) return;
  try {
    mounted.fast_commits = parse_kernel_counters(*fc_info, "").commits;
  } catch (const model::InputError&) {
  }
}

MountedFilesystem describe(const MountEntry& line, const SystemFolders& system) {
  MountedFilesystem mounted;
  if (line.type == "xfs") mounted.type = model::FilesystemType::xfs;
  mounted.mount_point = line.mount_point;
  std::error_code error;
  const fs::path link = fs::read_symlink(system.sys + "/dev/block/" + device_numbers(line), error);
  mounted.name = error ? "" : link.filename().string();
  if (mounted.name.empty())
    throw model::InputError({line.mount_point, 0, 0}, "its device " + device_numbers(line) +
                                                          " is not listed in " + system.sys);
  mounted.device = system.dev + "/" + mounted.name;
  std::replace(mounted.device.begin(), mounted.device.end(), '!', '/');
  const std::string ext4 = system.proc + "/fs/ext4/" + mounted.name;
  if (const auto options = read_text(ext4 + "/options")) {
    mounted.options = support::split(*options, '\n');
    mounted.options_known = true;
  }
  mounted.options.insert(mounted.options.end(), line.options.begin(), line.options.end());
  if (line.type == "ext4") read_counters(system, mounted);
  const auto release = read_text(system.proc + "/sys/kernel/osrelease");
  mounted.release = release ? release->substr(0, release->find('\n')) : "";
  return mounted;
}

}  // namespace

bool MountedFilesystem::has_option(const std::string& option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

MountedFilesystem mounted_at(const std::string& folder, const SystemFolders& system) {
  std::error_code error;
  const std::string whole = fs::canonical(folder, error).string();
  if (error) throw model::InputError({folder, 0, 0}, error.message());
  const std::vector<MountEntry> entries = mount_entries(system);
  const MountEntry* const best = mount_of(entries, whole);
  if (best == nullptr)
    throw model::InputError(
        {folder, 0, 0},
        "is on no file system that /proc/self/mountinfo lists; in a chroot only what is "
        "mounted inside of it can be seen");
  if (!is_known_type(*best))
    throw model::InputError({folder, 0, 0}, "is on " + best->type + " (mounted on " +
                                                best->mount_point + "); expected ext4 or XFS");
  return describe(*best, system);
}

std::optional<MountedFilesystem> mounted_from(unsigned major_number, unsigned minor_number,
                                              const SystemFolders& system) {
  for (const MountEntry& entry : mount_entries(system))
    if (entry.major_number == major_number && entry.minor_number == minor_number &&
        is_known_type(entry))
      return describe(entry, system);
  return std::nullopt;
}

model::MountSettings mount_settings(const MountedFilesystem& mounted) {
  if (mounted.type == model::FilesystemType::xfs) return listed_xfs_mount_settings(mounted.options);
  return listed_mount_settings(mounted.options, mounted.options_known);
}

}  // namespace fcsim::machine::geometry
