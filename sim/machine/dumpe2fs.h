// What `dumpe2fs -h` printed, as a file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/common/configuration.h"

namespace fcsim::machine {

struct DumpedFilesystem {
  model::FilesystemSettings settings;  // without what is a state of the moment, needs_recovery
  // Mount options that the superblock makes the default ("data=journal", ...), in order.
  std::vector<std::string> default_options;
  bool needs_recovery = false;
};

// `name` stands for the text in messages. The lines may be indented or quoted by "> ", as in a
// mail. Text after the superblock's (the groups) is passed over. Before e2fsprogs 1.46 the size of
// the journal is "Journal length", and there is no fast-commit area.
// Throws InputError with line and column for a value that is not a number or out of its key's
// range, where a line that every ext4 has is missing, and for a journal on another device.
DumpedFilesystem parse_dumpe2fs(std::string_view text, const std::string& name);

}  // namespace fcsim::machine
