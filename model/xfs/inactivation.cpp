// Inodes without a name and without a user are freed by a worker, a tick or two later.
//
// Source: fs/xfs/xfs_icache.c:xfs_inodegc_queue and fs/xfs/xfs_inode.c:xfs_inactive of 6.18.
#include <algorithm>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

// So many inodes make the worker come at once: as many as share a cluster buffer of 16 KiB.
constexpr std::uint32_t kClusterBytes = 16384;

}  // namespace

void Xfs::evict(const Call& call) {
  const FileId file = call.operation.file;
  if (!known(file)) return;
  Inode& inode = *inodes_[file];
  if (!inode.dirty.empty()) dirty_.erase({inode.dirty_since, file});
  held_.erase(file);
  inode.file = kNoFile;
  to_inactivate_.push_back(std::move(inodes_[file]));
  const std::int64_t jiffy = clock_.jiffies(call.now);
  const bool many = to_inactivate_.size() > kClusterBytes / settings_.geometry.inode_size;
  inactivation_ = many ? call.now : clock_.time_of_jiffy(clock_.wheel(jiffy, jiffy + 1));
}

std::optional<Time> Xfs::next_event() const {
  const std::optional<Time> worker = log_.next_event();
  if (!inactivation_) return worker;
  return worker ? std::min(*worker, *inactivation_) : *inactivation_;
}

void Xfs::happen(Time now) {
  if (inactivation_ && *inactivation_ <= now) inactivate(now);
  if (log_.next_event() && *log_.next_event() <= now) log_.happen(now);
}

// Data first, then the attributes, then the inode itself; each in a transaction of its own.
void Xfs::inactivate(Time now) {
  inactivation_.reset();
  while (!retired_.empty() && retired_.front().first <= log_.durable()) retired_.pop_front();
  for (std::unique_ptr<Inode>& gone : to_inactivate_) {
    Inode& inode = *gone;
    if (inode.regular() &&
        (inode.size != 0 || inode.disk_size != 0 || !inode.data.empty() || !inode.copies.empty())) {
      Transaction transaction(*this, now, kernel());
      inode.size = inode.disk_size = 0;
      transaction.log(inode, part::core);
      truncate_blocks(inode, 0, transaction);
      transaction.commit();
    } else if (inode.type == FileType::symlink && !inode.data.empty()) {
      Transaction transaction(*this, now, kernel());
      transaction.log(inode, part::core);
      truncate_blocks(inode, 0, transaction);
      transaction.commit();
    } else if (inode.directory()) {
      Unmapped round;
      for (const Extent& e : inode.data.all()) give_back(inode, e, round);
      inode.data.clear();
    }
    if (inode.attribute_fork) {
      Transaction transaction(*this, now, kernel());
      if (inode.attribute_block) {
        transaction.log(inode, part::core | part::attributes);
        transaction.roll(2);
      }
      transaction.log(inode, part::core | part::attributes);
      transaction.commit();
    }
    Transaction transaction(*this, now, kernel());
    transaction.log(inode, part::core);
    transaction.log(BufferKind::group_inodes, inode.place.group, 3);
    transaction.log(BufferKind::inode_tree, inode.place.group, 1);
    if (settings_.geometry.finobt)
      transaction.log(BufferKind::free_inode_tree, inode.place.group, 1);
    if (chunks_.free(inode.place)) {
      const std::uint32_t per_block = settings_.geometry.block_size / settings_.geometry.inode_size;
      const std::uint64_t first = free_.group_start(inode.place.group) +
                                  inode.place.position / kChunkInodes * kChunkInodes / per_block;
      free_.give_back(first, std::max<std::uint32_t>(1, kChunkInodes / per_block));
      transaction.roll();
      transaction.allocated(first);
    }
    transaction.commit();
    retired_.emplace_back(log_.current(), std::move(gone));
  }
  to_inactivate_.clear();
}

}  // namespace fcsim::model::xfs
