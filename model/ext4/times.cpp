// Timestamps: when a change of an inode's times is a change at all.
#include <algorithm>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

// current_time(): the coarse clock; from 6.13 on the multigrain floor, and a fine-grained time for
// an inode whose ctime was looked at in this tick (fs/inode.c).
Time FileSystem::stamp(const Inode& inode, Time now) {
  const Time coarse = clock_.coarse(now);
  if (!configuration_.kernel.timestamps.multigrain) return as_stored(coarse);
  const Time base = as_stored(std::max(coarse, multigrain_floor_));
  if (!inode.ctime_queried || base > inode.ctime) return base;
  multigrain_floor_ = std::max(now, inode.ctime + 1);
  return as_stored(multigrain_floor_);
}

// An inode of 128 bytes has no room for parts of a second (fs/ext4/super.c: s_time_gran).
Time FileSystem::as_stored(Time time) const {
  constexpr Time second = 1'000'000'000;
  constexpr std::uint32_t without_nanoseconds = 128;
  return geometry_.inode_size > without_nanoseconds ? time : time - time % second;
}

void FileSystem::change_ctime(Inode& inode, Time now) {
  inode.ctime = stamp(inode, now);
  inode.ctime_queried = false;
}

// file_update_time: mtime and ctime move, and dirty the inode, only when the clock has.
bool FileSystem::update_write_times(Inode& inode, FileId file, Time now, const Origin& origin) {
  const Time time = stamp(inode, now);
  if (inode.mtime == time && inode.ctime == time) return false;
  inode.mtime = inode.ctime = time;
  inode.ctime_queried = false;
  if (configuration_.mount.lazytime && configuration_.kernel.timestamps.lazytime_defers_mtime) {
    inode.time_deferred = true;
    return false;
  }
  vfs_mark_dirty(inode, file, now, origin);
  return true;
}

// relatime: a read counts when it is the first since a change, or a day after the last
// (fs/inode.c:touch_atime, relatime_need_update).
void FileSystem::touch_atime(FileId file, Time now, const Origin& origin, bool noatime) {
  constexpr Time day = 86'400'000'000'000;
  Inode& inode = inodes_[file];
  read_in(inode);
  const AtimeMode mode = configuration_.mount.atime;
  if (noatime || mode == AtimeMode::noatime) return;
  if (mode == AtimeMode::relatime && inode.atime > inode.mtime && inode.atime > inode.ctime &&
      now - inode.atime < day)
    return;
  const Time time = stamp(inode, now);
  if (inode.atime == time) return;
  inode.atime = time;
  if (configuration_.mount.lazytime)
    inode.time_deferred = true;
  else
    vfs_mark_dirty(inode, file, now, origin);
}

void FileSystem::assume_read(FileId file, Time now) {
  Inode& inode = inodes_[file];
  read_in(inode);
  inode.atime = now;
}

}  // namespace fcsim::model::ext4
