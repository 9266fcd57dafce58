// What `dumpe2fs -h` printed, as a file system.
#pragma once

#include <string>
#include <string_view>

#include "sim/machine/geometry/image.h"

namespace fcsim::machine::geometry {

// `name` stands for the text in messages. Throws InputError with line and column for a value that
// is no number or out of its key's range, and where a line that every ext4 has is missing. Text
// behind the superblock's (the groups) is passed over.
FilesystemOnDisk parse_dumpe2fs(std::string_view text, const std::string& name);

}  // namespace fcsim::machine::geometry
