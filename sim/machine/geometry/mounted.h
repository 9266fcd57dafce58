// What the running kernel says of a mounted ext4 or XFS: where it is, how it was mounted and
// whether fast commit is active there. Reads /proc and /sys only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/common/configuration.h"

namespace fcsim::machine::geometry {

// Where the kernel's file systems are; other folders for tests.
struct SystemFolders {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string dev = "/dev";
};

struct MountedFilesystem {
  model::FilesystemType type = model::FilesystemType::ext4;
  std::string mount_point;
  std::string device;                         // path of the device, e.g. "/dev/vda"
  std::string name;                           // the kernel's, e.g. "vda"
  std::vector<std::string> options;           // of mountinfo and /proc/fs/ext4/NAME/options
  bool options_known = false;                 // the latter could be read, which lists defaults too
  std::optional<std::uint64_t> fast_commits;  // of fc_info
  std::optional<std::uint32_t> max_transaction_blocks;  // of /proc/fs/jbd2/NAME-8/info
  std::string release;                                  // of the running kernel; may be empty

  [[nodiscard]] bool has_option(const std::string& option) const;
};

// The ext4 or XFS that holds the folder. Throws InputError where there is none.
MountedFilesystem mounted_at(const std::string& folder, const SystemFolders& system);

// The same for a block device, by its numbers; nullopt where it is not mounted.
std::optional<MountedFilesystem> mounted_from(unsigned major_number, unsigned minor_number,
                                              const SystemFolders& system);

// How it is mounted, as far as the options tell.
model::MountSettings mount_settings(const MountedFilesystem& mounted);

}  // namespace fcsim::machine::geometry
