// Which file system a path lies on, and how that is mounted.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace fcsim::machine::record {

struct Mounted {
  std::string mount_point;
  std::string type;    // "ext4"
  std::string source;  // "/dev/loop0"
  std::string device;  // the kernel's name for it in /proc/fs/ext4: "loop0", "dm-1"; "": none
  dev_t number = 0;
  bool whole = true;                 // false: a bind mount of a folder within the file system
  std::vector<std::string> options;  // of the mount and of the file system
  [[nodiscard]] bool is_ext4() const { return type == "ext4"; }
  [[nodiscard]] bool has_option(const std::string& name) const;
};

// The file system on which `path` lies. Throws InputError where the path does not exist.
Mounted find_mounted(const std::string& path);

// The mount point of the file system on which the process works: that of most regular files it has
// open for writing, else that of its working directory. Throws InputError where there is no such
// process or it may not be looked at.
std::string mount_point_of_process(pid_t pid);

}  // namespace fcsim::machine::record
