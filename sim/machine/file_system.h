// The file system that mke2fs 1.47 makes on a device of a given size.
#pragma once

#include <cstdint>
#include <optional>

#include "model/common/configuration.h"

namespace fcsim::machine {

// `bytes`: size of the device. `fast_commit_kib`: as for mke2fs -J fast_commit_size=; nullopt: not
// given. Features are mke2fs's and fast_commit. Throws InputError where mke2fs refuses, or makes a
// file system without a journal.
model::FilesystemSettings make_file_system(std::uint64_t bytes,
                                           std::optional<std::int64_t> fast_commit_kib);

}  // namespace fcsim::machine
