#include "sim/report/journal_commands.h"

#include <algorithm>

namespace fcsim::report {
namespace {

constexpr std::uint64_t kMib = 1024 * 1024;

// tune2fs takes the log's size in whole MiB, without the area.
std::uint64_t log_mib(const model::FilesystemSettings& filesystem) {
  const std::uint64_t journal = filesystem.journal_blocks;
  const std::uint64_t area = std::min<std::uint64_t>(filesystem.fast_commit_blocks, journal);
  return std::max<std::uint64_t>(1, (journal - area) * filesystem.block_size / kMib);
}

}  // namespace

std::string area_commands(const model::FilesystemSettings& filesystem, std::uint64_t area_blocks) {
  const std::uint64_t kib = (area_blocks * filesystem.block_size + 1023) / 1024;
  return "tune2fs -O ^has_journal DEV; tune2fs -J size=" + std::to_string(log_mib(filesystem)) +
         ",fast_commit_size=" + std::to_string(kib) + " DEV";
}

std::string area_commands_explained() {
  return "the file system must be unmounted and clean; its files stay (mke2fs -J "
         "fast_commit_size= makes a new file system: it destroys all data)";
}

std::string log_commands() {
  return "unmounted: tune2fs -O ^has_journal DEV; tune2fs -J size=MIB DEV; mke2fs -J size= "
         "destroys all data";
}

std::string feature_commands() {
  return "umount, tune2fs -O fast_commit DEV, mount; tune2fs or a remount alone changes nothing "
         "for "
         "a mounted file system";
}

}  // namespace fcsim::report
