// Cutting files: ftruncate, O_TRUNC, and blocks beyond the end
// (fs/xfs/xfs_iops.c:xfs_setattr_size, fs/xfs/xfs_inode.c:xfs_itruncate_extents_flags,
// fs/xfs/xfs_bmap_util.c:xfs_free_eofblocks).
#include <algorithm>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

constexpr unsigned kRoundExtents = 2;  // XFS_ITRUNC_MAX_EXTENTS

}  // namespace

void Xfs::give_back(const Inode& inode, const Extent& extent, Unmapped& round) {
  if (!extent.real()) return;
  round.freed = true;
  shared_.drop(extent.block, extent.length, [&](std::uint64_t first, std::uint64_t length) {
    free_.give_back(first, length);
    round.last_owner = round.last_owner || inode.reflink;
  });
}

Xfs::Unmapped Xfs::unmap_some(Inode& inode, std::uint64_t first, std::uint64_t end) {
  Unmapped round;
  round.end = end;
  while (round.extents < kRoundExtents) {
    std::size_t i = inode.data.find(round.end - 1);
    if (i == inode.data.size() || inode.data[i].first >= round.end) {
      if (i == 0) {
        round.end = first;
        return round;
      }
      --i;
    }
    if (inode.data[i].end() <= first) {
      round.end = first;
      return round;
    }
    Extent piece = inode.data[i];
    const std::uint64_t from = std::max(piece.first, first);
    const std::uint64_t to = std::min(piece.end(), round.end);
    if (piece.real()) piece.block += from - piece.first;
    piece.first = from;
    piece.length = to - from;
    inode.data.erase(from, to);
    give_back(inode, piece, round);
    ++round.extents;
    round.end = from;
    if (round.end <= first) return round;
  }
  return round;
}

// xfs_defer_finish rolls to log the intents, once more when they are done; blocks of a file that
// shares are freed through the reference counts, one step later.
unsigned Xfs::rolls_of(const Inode&, const Unmapped& round) const {
  unsigned rolls = 2;
  if (round.last_owner) ++rolls;
  if (settings_.geometry.rmapbt) ++rolls;
  return rolls;
}

// Rounds of two extents each, until nothing from `from` on is left.
void Xfs::truncate_blocks(Inode& inode, std::uint64_t from, Transaction& transaction) {
  std::uint64_t end = kEndOfBlocks;
  while (end > from) {
    const Unmapped round = unmap_some(inode, from, end);
    end = round.end;
    const bool shrunk = settle_tree(inode);
    if (round.freed) {
      transaction.allocated(free_.group_start(inode.place.group));
      transaction.log(inode, part::core | part::data);
    }
    if (round.freed || shrunk)
      transaction.roll(rolls_of(inode, round));
    else if (transaction.dirty())
      transaction.roll();
  }
  if (!inode.copies.empty()) {
    Unmapped round;
    for (const Extent& e : inode.copies.all())
      if (e.end() > from) give_back(inode, e, round);
    inode.copies.erase(from, kEndOfBlocks);
    if (round.freed) transaction.roll(2);
  }
  transaction.log(inode, part::core);
}

bool Xfs::can_free_beyond_end(const Inode& inode) const {
  if (!inode.regular()) return false;
  const std::uint64_t delayed = inode.delayed_blocks();
  if (inode.preallocated || (inode.size == 0 && delayed == 0)) return false;
  return delayed != 0 || inode.data.find(blocks_for(inode.size)) != inode.data.size();
}

void Xfs::free_beyond_end(Inode& inode, FileId, Time now, const Origin& origin) {
  Transaction transaction(*this, now, origin);
  std::uint64_t end = kEndOfBlocks;
  const std::uint64_t from = blocks_for(inode.size);
  while (end > from) {
    const Unmapped round = unmap_some(inode, from, end);
    end = round.end;
    settle_tree(inode);
    if (!round.freed) continue;
    transaction.allocated(free_.group_start(inode.place.group));
    transaction.log(inode, part::core | part::data);
    transaction.roll(rolls_of(inode, round));
  }
  transaction.commit();
}

void Xfs::truncate(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || !inodes_[op.file]->regular()) return;
  const bool by_open = (op.flags & operation_flag::by_open) != 0;
  set_size(op.file, op.length, by_open, call);
}

void Xfs::set_size(FileId file, std::int64_t size, bool by_open, const Call& call) {
  Inode& inode = *inodes_[file];
  const std::int64_t old_size = inode.size;
  if (size == 0 && old_size == 0 && inode.data.real_count() == 0) {
    Transaction transaction(*this, call.now, call.origin);
    change_times(inode, call.stamp);
    transaction.log(inode, part::core);
    transaction.commit(wsync_);
    return;
  }
  bool zeroed = false;
  const std::uint64_t mask = settings_.geometry.block_size - 1;
  if (size > old_size)
    zeroed = zero(inode, file, old_size, size, call.now);
  else if ((static_cast<std::uint64_t>(size) & mask) != 0)
    zeroed =
        zero(inode, file, size,
             static_cast<std::int64_t>((static_cast<std::uint64_t>(size) | mask) + 1), call.now);
  inode.size = size;
  clean(inode, file, blocks_for(size), kEndOfBlocks);
  if ((zeroed || (size > inode.disk_size && old_size != inode.disk_size)) && size > inode.disk_size)
    write_back_now(file, block_of(inode.disk_size), blocks_for(size), call.now, call.origin);
  Transaction transaction(*this, call.now, call.origin);
  if (size != old_size || by_open || call.operation.kind == OperationKind::truncate)
    change_times(inode, call.stamp);
  inode.disk_size = size;
  transaction.log(inode, part::core);
  if (size <= old_size) {
    truncate_blocks(inode, blocks_for(size), transaction);
    inode.truncated = true;
  }
  transaction.commit(wsync_);
}

}  // namespace fcsim::model::xfs
