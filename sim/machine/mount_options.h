// The options of mount, as a user gives them and as the kernel lists them.
#pragma once

#include <string>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/error.h"

namespace fcsim::machine {

// "commit=30,noatime" on top of `mount`. commit=0 is the default of 5 seconds
// (fs/ext4/super.c, ext4_parse_param). Options that change nothing that is counted (rw, loop, ...)
// are accepted. Throws InputError, and changes nothing, for any other.
void apply_mount_options(const std::string& options, const model::Position& position,
                         model::MountSettings& mount);

// mount -o remount, of what is mounted. As apply_mount_options(), but for what the kernel refuses
// (data=, delayed allocation) or leaves alone (dirsync); measured on 6.18. True for a remount to
// read-only, which syncs; no other does.
bool apply_remount_options(const std::string& options, const model::Position& position,
                           model::MountSettings& mount);

// Throws InputError for remount options that are not understood, whatever is mounted.
void check_remount_options(const std::string& options, const model::Position& position);

// Options one by one on top of `mount`, in order; those that are not known here are passed over.
void apply_known_mount_options(const std::vector<std::string>& options,
                               model::MountSettings& mount);

// How a file system is mounted, from what the kernel lists: the words of mountinfo, and of
// /proc/fs/ext4/DEV/options where it can be read (`complete`: it lists defaults too, so that what
// is not there is off).
model::MountSettings listed_mount_settings(const std::vector<std::string>& options, bool complete);

// The same for XFS, whose mountinfo lists all that matters: wsync, logbufs=8, logbsize=32k,
// allocsize=64k (fs/xfs/xfs_super.c, xfs_fs_show_options; bytes where no suffix is).
model::MountSettings listed_xfs_mount_settings(const std::vector<std::string>& options);

}  // namespace fcsim::machine
