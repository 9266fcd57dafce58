// From the keys of [filesystem] and [mount] to the options of mke2fs and mount.
#include <algorithm>

#include "model/common/error.h"
#include "sim/configuration/mke2fs.h"
#include "sim/machine/live/loop_file_system.h"

namespace fcsim::machine::live {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;

[[noreturn]] void refuse(const char* key, const std::string& why) {
  throw model::InputError({std::string("filesystem.") + key, 0, 0}, why);
}

// -J size= takes MiB, fast_commit_size= KiB, of which less than a block is stored as 0.
std::string journal_options(const model::FilesystemSettings& settings) {
  const bool fast_commit = settings.has("fast_commit");
  const std::uint64_t area = fast_commit ? settings.fast_commit_blocks : 0;
  const std::uint64_t log =
      settings.journal_blocks - std::min<std::uint64_t>(area, settings.journal_blocks);
  std::string options;
  if (log != configuration::default_journal_blocks(settings.block_count)) {
    const std::uint64_t bytes = log * settings.block_size;
    if (bytes % kMebibyte != 0)
      refuse("journal_blocks",
             "mke2fs makes logs of whole MiB; without the fast-commit area these "
             "are " +
                 std::to_string(log) + " blocks of " + std::to_string(settings.block_size) +
                 " bytes");
    options = "size=" + std::to_string(bytes / kMebibyte);
  }
  if (!fast_commit) return options;
  if (area == 0 && settings.block_size == 1024)
    refuse("fast_commit_blocks", "mke2fs cannot leave the area out with blocks of 1024 bytes");
  const std::uint64_t kib = area == 0 ? 1 : area * settings.block_size / 1024;
  return options + (options.empty() ? "" : ",") + "fast_commit_size=" + std::to_string(kib);
}

}  // namespace

std::vector<std::string> mke2fs_options(const model::FilesystemSettings& settings) {
  std::string features = "none";  // then these and no others
  for (const std::string& feature : settings.features) features += "," + feature;
  std::vector<std::string> options = {"-q", "-F",
                                      "-t", "ext4",
                                      "-E", "lazy_itable_init=0,lazy_journal_init=0",
                                      "-O", features,
                                      "-b", std::to_string(settings.block_size),
                                      "-g", std::to_string(settings.blocks_per_group),
                                      "-N", std::to_string(settings.inode_count),
                                      "-I", std::to_string(settings.inode_size)};
  const auto add = [&](const char* option, const std::string& value) {
    options.emplace_back(option);
    options.push_back(value);
  };
  if (settings.has("flex_bg")) add("-G", std::to_string(settings.flex_group_size));
  if (settings.has("has_journal"))
    if (const std::string journal = journal_options(settings); !journal.empty()) add("-J", journal);
  return options;
}

std::string mount_options(const model::MountSettings& settings,
                          const model::FilesystemSettings& filesystem) {
  using model::AtimeMode;
  using model::DataMode;
  const auto choose = [](bool value, const char* yes, const char* no) {
    return std::string(",") + (value ? yes : no);
  };
  std::string text = settings.atime == AtimeMode::noatime    ? "noatime"
                     : settings.atime == AtimeMode::relatime ? "relatime"
                                                             : "strictatime";
  text += choose(settings.barrier, "barrier=1", "barrier=0");
  text += choose(settings.auto_da_alloc, "auto_da_alloc", "noauto_da_alloc");
  if (settings.data == DataMode::journal) {  // which the kernel has without either of these
    text += ",nodelalloc";
  } else {
    text += choose(settings.delalloc, "delalloc", "nodelalloc");
    text += choose(settings.dioread_nolock, "dioread_nolock", "dioread_lock");
  }
  if (settings.lazytime) text += ",lazytime";
  if (settings.sync) text += ",sync";
  if (settings.dirsync) text += ",dirsync";
  if (!filesystem.has("has_journal")) return text;
  text += settings.data == DataMode::journal     ? ",data=journal"
          : settings.data == DataMode::writeback ? ",data=writeback"
                                                 : ",data=ordered";
  text += ",commit=" + std::to_string(settings.commit_interval_s);
  text += ",max_batch_time=" + std::to_string(settings.max_batch_time_us);
  text += ",min_batch_time=" + std::to_string(settings.min_batch_time_us);
  return text;
}

std::vector<std::string> mkfs_xfs_options(const model::FilesystemSettings& settings) {
  const model::XfsGeometry& xfs = settings.xfs;
  const auto flag = [&](const char* feature) { return settings.has(feature) ? "=1" : "=0"; };
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::string metadata;
  for (const char* feature : {"finobt", "rmapbt", "reflink", "bigtime", "inobtcount"})
    metadata += (metadata.empty() ? "" : ",") + std::string(feature) + flag(feature);
  std::vector<std::string> options = {
      "-q",
      "-f",
      "-b",
      "size=" + number(settings.block_size),
      "-m",
      metadata,
      "-d",
      "agcount=" + number(xfs.ag_count) +
          ",size=" + number(settings.block_count * settings.block_size),
      "-i",
      "size=" + number(settings.inode_size) + ",sparse" + flag("sparse"),
      "-n",
      "size=" + number(xfs.directory_block_size),
      "-s",
      "size=" + number(xfs.sector_size),
      "-l",
      "size=" + number(xfs.log_blocks * settings.block_size)};
  return options;
}

std::string xfs_mount_options(const model::MountSettings& settings) {
  using model::AtimeMode;
  std::string text = settings.atime == AtimeMode::noatime    ? "noatime"
                     : settings.atime == AtimeMode::relatime ? "relatime"
                                                             : "strictatime";
  if (settings.lazytime) text += ",lazytime";
  if (settings.sync) text += ",sync";
  if (settings.dirsync) text += ",dirsync";
  if (settings.wsync) text += ",wsync";
  text += ",logbufs=" + std::to_string(settings.logbufs);
  text += ",logbsize=" + std::to_string(settings.logbsize_kib) + "k";
  if (settings.allocsize_kib != 0)
    text += ",allocsize=" + std::to_string(settings.allocsize_kib) + "k";
  return text;
}

}  // namespace fcsim::machine::live
