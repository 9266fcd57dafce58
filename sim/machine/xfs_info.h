// An XFS file system as xfs_info prints it.
#pragma once

#include <string>
#include <string_view>

#include "model/common/configuration.h"

namespace fcsim::machine {

// Whether the text is xfs_info's: it begins with "meta-data=".
bool is_xfs_info(std::string_view text);

// `name` stands for the text in messages. The lines may be indented or quoted by "> ", as in a
// mail. Throws InputError with the line for a value that is not a number, and where a value that
// every XFS has is missing. Source: xfsprogs 6.1, libfrog/fsgeom.c.
model::FilesystemSettings parse_xfs_info(std::string_view text, const std::string& name);

}  // namespace fcsim::machine
