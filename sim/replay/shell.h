// Administrator's steps as a shell text, such as a bundle's [recorded_with] stages.
#pragma once

#include <string>
#include <vector>

#include "sim/replay/step.h"

namespace fcsim::replay {

// What the traced file system is called in the text.
struct ShellNames {
  std::string mount_point;  // "{mnt}" means it as well; "{dev}" and "{img}" are its device
};

// The steps in the order of the text; commands stand between ';', '&&' or line ends. Understood are
// mke2fs and mkfs.ext4, tune2fs, mount, mount -o remount, umount, sync, sysctl vm.drop_caches=N and
// echo N > /proc/sys/vm/drop_caches on that file system, and cd, true, sleep, which change nothing.
// In mount options "{opts}" stands for those that it was first mounted with. Throws InputError that
// names a command which is not understood.
std::vector<Step> parse_shell_steps(const std::string& text, const model::Position& position,
                                    const ShellNames& names);

}  // namespace fcsim::replay
