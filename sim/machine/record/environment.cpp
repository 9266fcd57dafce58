#include "sim/machine/record/environment.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string_view>

#include "sim/configuration/configuration.h"
#include "sim/configuration/mke2fs.h"
#include "sim/machine/record/process.h"
#include "sim/machine/record/small_file.h"

namespace fcsim::machine::record {
namespace {

// "Block size:               4096" -> {"Block size", "4096"}
std::map<std::string, std::string> fields_of(const std::string& text) {
  std::map<std::string, std::string> fields;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    fields.emplace(line.substr(0, colon), value == std::string::npos ? "" : line.substr(value));
  }
  return fields;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "6.18" of "6.18.44-custom".
std::string series_of(const std::string& release) {
  const std::size_t dot = release.find('.');
  if (dot == std::string::npos) return release;
  return release.substr(0, release.find_first_not_of("0123456789", dot + 1));
}

// What anybody may ask: sizes in blocks and inodes. The device may be larger than the file system,
// by less than a group as mke2fs and resize2fs make them.
std::optional<model::FilesystemSettings> figured_geometry(const Mounted& mounted) {
  struct statvfs status {};
  const auto sectors = read_number("/sys/class/block/" + mounted.device + "/size");
  if (!sectors || statvfs(mounted.mount_point.c_str(), &status) != 0 || status.f_bsize == 0)
    return std::nullopt;
  model::FilesystemSettings settings;
  settings.features = configuration::default_features();
  settings.block_size = static_cast<std::uint32_t>(status.f_bsize);
  settings.block_count = static_cast<std::uint64_t>(*sectors) * 512 / status.f_bsize;
  settings.blocks_per_group = 8 * settings.block_size;
  const std::uint64_t groups =
      (settings.block_count + settings.blocks_per_group - 1) / settings.blocks_per_group;
  settings.inode_count = static_cast<std::uint32_t>(status.f_files);
  if (groups == 0 || settings.inode_count % groups != 0) return std::nullopt;
  settings.inodes_per_group = static_cast<std::uint32_t>(settings.inode_count / groups);
  settings.journal_blocks = configuration::default_journal_blocks(settings.block_count);
  settings.fast_commit_blocks = 0;
  const configuration::FastCommitSize size = configuration::fast_commit_size(settings, 0);
  settings.fast_commit_blocks = size.area_blocks;
  settings.journal_blocks = size.journal_blocks;
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
    if (!result_.clock.jiffy0_realtime_ns)
      lack("/proc/timer_list cannot be read (needs root): timers at whole multiples of the tick");
  }

  void read_filesystem() {
    if (!mounted_.is_ext4()) {
      lack("the file system on " + mounted_.mount_point + " is " + mounted_.type +
           ", not ext4: geometry and mount options are the defaults of mke2fs and mount, and there "
           "are no counters");
      return;
    }
    if (!mounted_.whole)
      lack("only a folder of the file system is mounted on " + mounted_.mount_point +
           ": the rest of it is not seen");
    std::string reason;
    try {
      result_.filesystem = parse_dumpe2fs(output_of_program({"dumpe2fs", "-h", mounted_.source}));
      reason = "dumpe2fs -h " + mounted_.source + " printed no superblock";
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
    result_.mount = mount_settings(options.value_or(""), mounted_.options);
  }

  const Mounted& mounted_;
  const std::vector<std::string>& directories_;
  Environment result_;
};

}  // namespace

Environment read_environment(const Mounted& mounted, const std::vector<std::string>& directories) {
  return Reader(mounted, directories).read();
}

std::optional<model::FilesystemSettings> parse_dumpe2fs(const std::string& text) {
  const std::map<std::string, std::string> fields = fields_of(text);
  const auto number = [&](const char* name) {
    std::uint64_t value = 0;
    if (const auto field = fields.find(name); field != fields.end())
      std::from_chars(field->second.data(), field->second.data() + field->second.size(), value);
    return value;
  };
  const auto small = [&](const char* name) { return static_cast<std::uint32_t>(number(name)); };
  model::FilesystemSettings settings;
  settings.block_size = small("Block size");
  settings.block_count = number("Block count");
  settings.blocks_per_group = small("Blocks per group");
  settings.inode_count = small("Inode count");
  settings.inodes_per_group = small("Inodes per group");
  settings.inode_size = small("Inode size");
  settings.extra_isize = small("Desired extra isize");
  settings.flex_group_size = small("Flex block group size");
  settings.journal_blocks = small("Total journal blocks");
  settings.fast_commit_blocks = small("Fast commit length");
  if (const auto features = fields.find("Filesystem features"); features != fields.end())
    settings.features = words_of(features->second);
  // The state of this very moment, not what mke2fs chose.
  std::erase(settings.features, "needs_recovery");
  std::erase(settings.features, "orphan_present");
  if (settings.block_size == 0 || settings.block_count == 0 || settings.features.empty())
    return std::nullopt;
  return settings;
}

model::MountSettings mount_settings(const std::string& ext4_options,
                                    const std::vector<std::string>& mount_options) {
  std::vector<std::string> words = words_of(ext4_options);
  words.insert(words.end(), mount_options.begin(), mount_options.end());
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const auto number = [&](const std::string& name, std::int64_t otherwise) {
    for (const std::string& word : words)
      if (word.starts_with(name + "=")) {
        const char* const digits = word.data() + name.size() + 1;
        std::from_chars(digits, word.data() + word.size(), otherwise);
        break;
      }
    return otherwise;
  };
  model::MountSettings settings;
  settings.commit_interval_s = number("commit", settings.commit_interval_s);
  settings.data = has("data=journal")     ? model::DataMode::journal
                  : has("data=writeback") ? model::DataMode::writeback
                                          : model::DataMode::ordered;
  settings.delalloc = !has("nodelalloc");
  settings.barrier = !has("nobarrier");
  settings.dioread_nolock = ext4_options.empty() ? !has("dioread_lock") : has("dioread_nolock");
  settings.auto_da_alloc = !has("noauto_da_alloc");
  settings.atime = has("noatime")    ? model::AtimeMode::noatime
                   : has("relatime") ? model::AtimeMode::relatime
                                     : model::AtimeMode::strictatime;
  settings.lazytime = has("lazytime");
  settings.sync = has("sync");
  settings.dirsync = has("dirsync");
  settings.max_batch_time_us = number("max_batch_time", settings.max_batch_time_us);
  settings.min_batch_time_us = number("min_batch_time", settings.min_batch_time_us);
  return settings;
}

}  // namespace fcsim::machine::record
