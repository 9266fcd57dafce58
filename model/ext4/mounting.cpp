// What an unmount forgets and a mount begins with.
//
// Facts: fs/ext4/super.c (ext4_fill_super, ext4_put_super, __ext4_remount) of 6.12; the recordings
// art-tune-trap, art-tune-off and cold-*; remounts measured on 6.18.
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

std::vector<FileId> FileSystem::unnamed_files() const {
  std::vector<FileId> files;
  for (FileId file = 0; file < inodes_.size(); ++file)
    if (inodes_[file].exists && inodes_[file].links == 0) files.push_back(file);
  return files;
}

void FileSystem::leave_memory(Inode& inode) {
  assert(inode.in_flight.empty());
  inode.pending.clear();  // what found no space is lost
  blocks_.discard(inode.windows);
  inode.windows.clear();
  const FileId file = inode.tracked.file;
  inode.tracked = {};
  inode.tracked.file = file;
  inode.datasync_tid = 0;
  inode.cached.clear();
  inode.journalled.clear();
  inode.journalled_tid = 0;
  inode.folio_blocks = 1;
  inode.opens = inode.writers = inode.mappings = 0;
  inode.ctime_queried = inode.truncated_to_zero = inode.vfs_dirty = inode.dirty_pages = false;
  inode.in_memory = false;
}

void FileSystem::mount_again(const FilesystemSettings& on_disk, const MountSettings& mount) {
  assert(dirty_count_ == 0 && in_flight_files_.empty() && started_io_.empty());
  geometry_ = Geometry(on_disk, mount, configuration_.kernel);
  configuration_.filesystem = on_disk;
  configuration_.mount = mount;
  journal_->mount_again(mount);
  fast_commit_.mount_again();
  for (const DeferredFree& freed : deferred_frees_) blocks_.free(freed.physical, freed.length);
  deferred_frees_.clear();
  for (Inode& inode : inodes_)
    if (inode.exists) leave_memory(inode);
  read_in(inodes_[kRootDirectory]);
  blocks_.mount_again();
  inode_numbers_.count_exactly();
  xattr_blocks_.clear();  // a cache (fs/mbcache.c); the inodes keep their blocks
  superblock_stamped_ = false;
  wait_ = 0;
  causes_ = {};
  directory_fsyncs_ = 0;
  metadata_dirty_since_ = 0;
  read_only_ = false;
  notes_ = {};
}

void FileSystem::remount(const MountSettings& mount) {
  assert(mount.data == configuration_.mount.data &&
         mount.delalloc == configuration_.mount.delalloc);
  configuration_.mount = mount;
  journal_->remount(mount);
  read_only_ = false;
}

// mount(2) with MS_REMOUNT: what it does not name of the access times stays, all else is as given;
// dirsync cannot change (fs/namespace.c:path_mount, include/linux/fs.h:MS_RMT_MASK; measured).
bool FileSystem::remount_by_call(const Operation& operation) {
  constexpr std::uint64_t read_only = 1, synchronous = 0x10, noatime = 0x400, nodiratime = 0x800;
  constexpr std::uint64_t relatime = 1U << 21, strictatime = 1U << 24, lazytime = 1U << 25;
  const bool was_read_only = read_only_;
  if ((operation.flags & operation_flag::read_only) != 0) {  // what else it sets follows
    read_only_ = true;
    return !was_read_only;
  }
  const std::uint64_t flags = operation.value;
  MountSettings& mount = configuration_.mount;
  mount.sync = (flags & synchronous) != 0;
  mount.lazytime = (flags & lazytime) != 0;
  if ((flags & strictatime) != 0)
    mount.atime = AtimeMode::strictatime;
  else if ((flags & noatime) != 0)
    mount.atime = AtimeMode::noatime;
  else if ((flags & (nodiratime | relatime)) != 0)
    mount.atime = AtimeMode::relatime;
  if (operation.length > 0) {
    mount.commit_interval_s = operation.length;
    journal_->remount(mount);
  }
  read_only_ = (flags & read_only) != 0;
  return read_only_ && !was_read_only;
}

}  // namespace fcsim::model::ext4
