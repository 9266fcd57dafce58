// Which file system a path lies on, and how that is mounted.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace fcsim::machine::record {

struct Mounted {
  std::string mount_point;
  std::string type;    // "ext4", "xfs"
  std::string source;  // "/dev/loop0"
  std::string device;  // the kernel's name for it in /proc/fs/ext4: "loop0", "dm-1"; "": none
  dev_t number = 0;
  std::string root = "/";            // the folder of the file system that is mounted
  bool whole = true;                 // false: a bind mount of a folder within the file system
  std::vector<std::string> options;  // of the mount and of the file system
  [[nodiscard]] bool is_ext4() const { return type == "ext4"; }
  [[nodiscard]] bool is_xfs() const { return type == "xfs"; }
  [[nodiscard]] bool has_option(const std::string& name) const;
};

// The file system on which `path` lies. Throws InputError where the path does not exist.
Mounted find_mounted(const std::string& path);

// How other mounts lie to one file system: [trace] other_mounts and also_at.
struct MountTree {
  std::vector<std::string> other_mounts;
  std::vector<std::string> also_at;
};
// Reads /proc/self/mountinfo.
MountTree mounts_around(const Mounted& mounted);
// The same for such a text.
MountTree mounts_around(const Mounted& mounted, const std::string& mountinfo);

struct ProcessMount {
  std::string mount_point;
  std::string why;  // "it has 2 of 3 files open for writing there": why this one was chosen
};

// The file system on which the process works: the one on which most of its regular files open for
// writing lie, descriptors 0 to 2 left out, because a daemon's standard streams may be redirected
// to any log; else that of its working directory. Throws InputError where there is no such process
// or it may not be looked at.
ProcessMount mount_of_process(pid_t pid);

}  // namespace fcsim::machine::record
