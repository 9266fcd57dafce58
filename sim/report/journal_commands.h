// The commands that change a file system's journal, as advice gives them.
#pragma once

#include <cstdint>
#include <string>

#include "model/common/configuration.h"

namespace fcsim::report {

// "tune2fs -O ^has_journal DEV; tune2fs -J size=32,fast_commit_size=1412 DEV": a new journal with
// the log that the file system has and an area of that many blocks. The file system must be
// unmounted; its files stay.
std::string area_commands(const model::FilesystemSettings& filesystem, std::uint64_t area_blocks);

// What those commands need and keep, and the other way, which destroys the data.
std::string area_commands_explained();

// The same for a larger log.
std::string log_commands();

// How the feature fast_commit is switched on so that it has an effect.
std::string feature_commands();

}  // namespace fcsim::report
