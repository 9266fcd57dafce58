#include "sim/machine/record/environment.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "sim/configuration/configuration.h"
#include "sim/configuration/mke2fs.h"
#include "sim/machine/dumpe2fs.h"
#include "sim/machine/geometry/answer.h"
#include "sim/machine/mount_options.h"
#include "sim/machine/record/process.h"
#include "sim/machine/record/small_file.h"
#include "sim/support/text.h"

namespace fcsim::machine::record {
namespace {

// "6.18" of "6.18.44-custom".
std::string series_of(const std::string& release) {
  const std::size_t dot = release.find('.');
  if (dot == std::string::npos) return release;
  return release.substr(0, release.find_first_not_of("0123456789", dot + 1));
}

// What needs no privilege: sizes in blocks and inodes. The device may be larger than the file
// system, by less than a group as mke2fs and resize2fs make them.
std::optional<model::FilesystemSettings> figured_geometry(const Mounted& mounted) {
  struct statvfs status {};
  const auto sectors = read_number("/sys/class/block/" + mounted.device + "/size");
  if (!sectors || statvfs(mounted.mount_point.c_str(), &status) != 0 || status.f_bsize == 0)
    return std::nullopt;
  model::FilesystemSettings settings;
  settings.features = configuration::default_features();
  settings.block_size = static_cast<std::uint32_t>(status.f_bsize);
  settings.block_count = static_cast<std::uint64_t>(*sectors) * 512 / status.f_bsize;
  settings.inode_count = static_cast<std::uint32_t>(status.f_files);
  configuration::GivenGeometry given;
  given.block_size = given.block_count = given.inode_count = true;
  configuration::choose_geometry(0, given, true, settings);
  const std::uint64_t groups =
      (settings.block_count + settings.blocks_per_group - 1) / settings.blocks_per_group;
  if (settings.inode_count != groups * settings.inodes_per_group) return std::nullopt;
  return settings;
}

class Reader {
 public:
  Reader(const Mounted& mounted, const std::vector<std::string>& directories)
      : mounted_(mounted), directories_(directories) {}

  Environment read() {
    read_kernel();
    read_filesystem();
    read_mount();
    read_fast_commit();
    for (const char* name : {"dirty_expire_centisecs", "dirty_writeback_centisecs",
                             "dirty_background_ratio", "dirty_ratio"}) {
      if (const auto value = read_number(std::string("/proc/sys/vm/") + name))
        result_.writeback.emplace_back(name, *value);
      else
        lack(std::string("/proc/sys/vm/") + name + " cannot be read: the kernel's default");
    }
    return std::move(result_);
  }

 private:
  void lack(std::string sentence) { result_.lacks.push_back(std::move(sentence)); }

  void read_kernel() {
    utsname name{};
    uname(&name);
    result_.release = name.release;
    const std::string series = series_of(result_.release);
    for (const configuration::ProfileSummary& profile : configuration::list_profiles(directories_))
      if (profile.name == series) result_.profile = series;
    if (result_.profile.empty())
      lack("no kernel profile '" + series + "' for Linux " + result_.release +
           ": the rules of the default profile, unless -k names another");
    result_.clock = read_clock();
    result_.clock.smp = std::string_view(name.version).find("SMP") != std::string_view::npos;
    result_.clock.percpu_batch =
        std::max<std::int64_t>(result_.clock.percpu_batch, 2 * sysconf(_SC_NPROCESSORS_ONLN));
    if (!result_.clock.jiffy0_realtime_ns)
      lack("/proc/timer_list cannot be read (needs root): timers at whole multiples of the tick");
  }

  void read_filesystem() {
    if (!mounted_.is_ext4()) {
      lack("the file system on " + mounted_.mount_point + " is " + mounted_.type +
           ", not ext4: geometry and mount options are the defaults of mke2fs and mount, and there "
           "are not counters");
      return;
    }
    if (!mounted_.whole)
      lack("only a folder of the file system is mounted on " + mounted_.mount_point +
           ": the rest of it is not seen");
    std::string reason;
    try {
      const std::string program = "dumpe2fs -h " + mounted_.source;
      result_.filesystem =
          parse_dumpe2fs(output_of_program({"dumpe2fs", "-h", mounted_.source}), program).settings;
    } catch (const std::exception& error) {
      reason = error.what();
    }
    result_.whole_geometry = result_.filesystem.has_value();
    if (result_.whole_geometry) return;
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    result_.filesystem = figured_geometry(mounted_);
    lack("the superblock cannot be read (" + reason + "): " +
         (result_.filesystem ? "block and inode counts are figured from statvfs, the rest is what "
                               "mke2fs -O fast_commit makes of that size"
                             : "the geometry is that of mke2fs -O fast_commit on 1 GiB"));
  }

  void read_mount() {
    if (!mounted_.is_ext4()) return;
    const auto options = read_small_file("/proc/fs/ext4/" + mounted_.device + "/options");
    if (!options)
      lack("/proc/fs/ext4/" + mounted_.device +
           "/options cannot be read: what mountinfo does not list is taken as mount's default");
    std::vector<std::string> words = support::split(options.value_or(""), '\n');
    words.insert(words.end(), mounted_.options.begin(), mounted_.options.end());
    result_.mount = listed_mount_settings(words, options.has_value());
  }

  // A mount keeps what it found on disk when it began; tune2fs may have changed it since.
  void read_fast_commit() {
    if (!result_.whole_geometry || !result_.mount) return;
    geometry::FilesystemOnDisk disk;
    disk.source = mounted_.source;
    disk.settings = *result_.filesystem;
    configuration::LoadRequest request;
    request.directories = directories_;
    request.profile = result_.profile;
    geometry::GeometryAnswer answer;
    try {
      answer = geometry::answer_geometry(disk, geometry::mounted_at(mounted_.mount_point, {}),
                                         configuration::load(request));
    } catch (const model::InputError& error) {
      lack(std::string("whether fast commit is active on this mount is not known (") +
           error.what() + "): as the superblock says");
      return;
    }
    const bool on_disk = disk.settings.has("fast_commit");
    if (answer.state == geometry::FastCommitState::unknown)
      lack("whether fast commit is active on this mount is not known (" + answer.reason +
           "): as the superblock says");
    const bool active = answer.state == geometry::FastCommitState::active;
    const bool inactive = answer.state == geometry::FastCommitState::inactive &&
                          result_.mount->data != model::DataMode::journal;
    if (active && !on_disk) result_.filesystem->features.emplace_back("fast_commit");
    if (inactive && on_disk) std::erase(result_.filesystem->features, "fast_commit");
    if ((active && !on_disk) || (inactive && on_disk))
      lack("the superblock " + std::string(on_disk ? "has" : "lacks") +
           " the feature fast_commit, but fast commit is " + (active ? "active" : "not active") +
           " on this mount (" + answer.reason + "): recorded as it is on the mount");
  }

  const Mounted& mounted_;
  const std::vector<std::string>& directories_;
  Environment result_;
};

}  // namespace

Environment read_environment(const Mounted& mounted, const std::vector<std::string>& directories) {
  return Reader(mounted, directories).read();
}

}  // namespace fcsim::machine::record
