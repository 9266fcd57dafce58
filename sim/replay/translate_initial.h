// A manifest of one file system as the beginning of a prediction for the other.
#pragma once

#include <optional>

#include "model/common/configuration.h"
#include "model/common/operation.h"

namespace fcsim::replay {

// The same files, sizes and extents, where inode numbers and places of blocks are of the other file
// system: numbers in the order of the manifest, extents one after another in the data area. Which
// file system the manifest is of is told by its root: inode 2 on ext4, and never on XFS
// (fs/ext4/ext4.h:EXT4_ROOT_INO; the first chunk of XFS's inodes lies after its headers). nullopt:
// it is of this file system.
std::optional<model::InitialState> translate_initial(const model::InitialState& initial,
                                                     const model::FilesystemSettings& filesystem);

// What a prediction made so assumes, as a sentence.
inline constexpr const char* kTranslated =
    "the manifest is of another file system: its files are taken as made anew on this one, one "
    "after another";

}  // namespace fcsim::replay
