// What a bundle's env.toml says of the machine and the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/common/configuration.h"
#include "sim/machine/record/mounted.h"

namespace fcsim::machine::record {

struct Environment {
  std::string release;  // uname -r
  std::string profile;  // the kernel profile of that release; "": there is none
  model::ClockSettings clock;
  std::optional<model::FilesystemSettings> filesystem;
  bool whole_geometry = false;  // read from the superblock, not figured from statvfs
  std::optional<model::MountSettings> mount;
  std::optional<model::BlockDeviceSettings> block_device;
  std::vector<std::pair<std::string, std::int64_t>> writeback;  // sysctls: name and value
  std::vector<std::string> lacks;  // sentences: what could not be read, and what is taken instead
};

// `directories` as in LoadRequest: where the profiles are. Never fails; what cannot be read is
// among `lacks`.
Environment read_environment(const Mounted& mounted, const std::vector<std::string>& directories);

// Where the kernel's ticks lie.
model::ClockSettings read_clock();

}  // namespace fcsim::machine::record
