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
  notes_ = {};
}

void FileSystem::remount(const MountSettings& mount) {
  assert(mount.data == configuration_.mount.data &&
         mount.delalloc == configuration_.mount.delalloc);
  configuration_.mount = mount;
  journal_->remount(mount);
}

}  // namespace fcsim::model::ext4
