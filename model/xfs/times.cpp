// Timestamps: when a change of an inode's times is a change at all, and what it logs.
#include <algorithm>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {

// What the coarse clock shows: it steps once a tick, to a value before that moment.
Time Xfs::coarse(Time now) const {
  return clock_.coarse(now) - settings_.tick_value_lag_ns;
}

// fs/inode.c:current_time: fine for an inode whose ctime somebody has looked at in this very tick.
Time Xfs::current_time(const Inode& inode, Time now) const {
  if (!settings_.rules.multigrain) return coarse(now);
  const Time base = std::max(coarse(now), multigrain_floor_);
  return inode.ctime_queried && base <= inode.ctime ? now : base;
}

// fs/inode.c:inode_set_ctime_current: only here the floor moves.
void Xfs::set_ctime(Inode& inode, Time now) {
  Time time = coarse(now);
  if (settings_.rules.multigrain) {
    time = std::max(time, multigrain_floor_);
    if (inode.ctime_queried && time <= inode.ctime) {
      multigrain_floor_ = std::max(now, multigrain_floor_ + 1);
      time = multigrain_floor_;
    }
  }
  if (inode.ctime == time) return;
  inode.ctime = time;
  inode.ctime_queried = false;
}

void Xfs::change_times(Inode& inode, Time now) {
  set_ctime(inode, now);
  inode.mtime = inode.ctime;
}

// file_update_time and xfs_vn_update_time (fs/inode.c, fs/xfs/xfs_iops.c). With lazytime the VFS
// sets the times; as that increments i_version, the inode is logged all the same.
void Xfs::update_write_times(Inode& inode, FileId, Time now, const Origin& origin) {
  const Time time = current_time(inode, now);
  if (inode.mtime == time && inode.ctime == time && !inode.version_queried) return;
  ++update_time_;
  const bool core =
      settings_.mount.lazytime && (settings_.rules.lazytime_logs_core || inode.version_queried);
  Transaction transaction(*this, now, origin);
  change_times(inode, now);
  transaction.log(inode, part::times | (core ? part::core : 0U));
  transaction.commit();
}

// touch_atime (fs/inode.c): relatime asks whether the last access is older than the last change;
// lazytime holds the new time back in memory.
void Xfs::touch_atime(FileId file, Time now, const Origin& origin, bool noatime) {
  constexpr Time day = 86'400'000'000'000;
  Inode& inode = *inodes_[file];
  const AtimeMode mode = settings_.mount.atime;
  if (noatime || mode == AtimeMode::noatime) return;
  if (mode == AtimeMode::relatime && inode.atime > inode.mtime && inode.atime > inode.ctime &&
      now - inode.atime < day)
    return;
  const Time time = current_time(inode, now);
  if (inode.atime == time) return;
  ++update_time_;
  inode.atime = time;
  if (settings_.mount.lazytime) {
    inode.time_deferred = true;
    held_.insert(file);
    return;
  }
  Transaction transaction(*this, now, origin);
  transaction.log(inode, part::times);
  transaction.commit();
}

void Xfs::write_deferred_times(FileId file, Time now, const Origin& origin) {
  if (!known(file) || !inodes_[file]->time_deferred) return;
  Transaction transaction(*this, now, origin);
  transaction.log(*inodes_[file], part::times);
  transaction.commit();
}

}  // namespace fcsim::model::xfs
