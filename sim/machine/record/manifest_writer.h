// manifest.tsv of a running file system: walks all names, asks for extents by FIEMAP. The reader's
// counterpart is traces/manifest.h, which has the format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/common/operation.h"
#include "sim/machine/record/mounted.h"

namespace fcsim::machine::record {

struct ManifestSummary {
  std::uint64_t names = 0;
  std::uint64_t unreadable_directories = 0;  // listed, but not what they hold
  std::uint64_t without_extents = 0;         // files with data whose extents may not be asked for
  std::uint64_t unwritable_names = 0;        // hold a tab or a line end, which the format has not
  model::Time began = 0;                     // CLOCK_REALTIME
  std::vector<std::string> moved_atimes;     // directories whose access time the reading moved
};

// Hands the manifest to `put` piece by piece: the mount point first, then folder by folder in the
// order of names. Stays on the file system. Without a known geometry (no ext4, or its superblock is
// out of reach) there are no extents, and inode numbers are counted from 12: the real ones need not
// fit into what is assumed instead. `check` runs before each folder and may throw. Throws
// InputError where the mount point cannot be read.
ManifestSummary write_manifest(const Mounted& mounted, bool geometry_known,
                               const std::function<void(std::string_view)>& put,
                               const std::function<void()>& check);

}  // namespace fcsim::machine::record
