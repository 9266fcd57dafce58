// manifest.tsv of a bundle: the files that existed before the trace began.
//
// A line for each name, tab separated: type (d, f, l, o), mode (octal), inode, nlink, size (bytes),
// blocks512 (st_blocks), path relative to the mount point ("." = root), extents
// (`logical:physical:length`, in blocks, "u" after an unwritten one, comma separated; may be
// missing), attributes (may be missing; comma separated: `flags=HEX` as FS_IOC_GETFLAGS tells them,
// `project=N`, `acl`, `default-acl`, `label` for security.selinux). Lines that begin with "#" and
// empty lines are skipped. A directory may stand after what it holds.
#pragma once

#include <string>
#include <string_view>

#include "model/common/operation.h"

namespace fcsim::traces::bundle {

// Reads a file. Throws InputError with file, line and column.
model::InitialState read_manifest(const std::string& path);

// The same for text in memory; `name` stands for the file in messages.
model::InitialState parse_manifest(std::string_view text, const std::string& name);

}  // namespace fcsim::traces::bundle
