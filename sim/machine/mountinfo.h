// What /proc/self/mountinfo lists (Documentation/filesystems/proc.rst, 3.5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fcsim::machine {

struct MountEntry {
  unsigned major_number = 0, minor_number = 0;  // of the device
  std::string root;                             // within the file system: "/" for all of it
  std::string mount_point;
  std::string type;                  // "ext4"
  std::string source;                // "/dev/loop0"
  std::vector<std::string> options;  // of the mount, then of the file system
};

// In the order of the text; lines that are not of that form are passed over.
std::vector<MountEntry> parse_mountinfo(std::string_view text);

// Whether `path` is `mount_point` or below it.
bool lies_below(const std::string& path, const std::string& mount_point);

// The entry below whose mount point `path` lies; `path` is absolute and without symbolic links.
// Of several on one mount point the last hides the others. nullptr: none.
const MountEntry* mount_of(const std::vector<MountEntry>& entries, const std::string& path);

}  // namespace fcsim::machine
