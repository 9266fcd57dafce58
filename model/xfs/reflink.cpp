// Shared blocks: clones, deduplication, and what writing to a shared block costs
// (fs/xfs/xfs_reflink.c).
#include <algorithm>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

// The COW fork is allocated in pieces of 32 blocks (fs/xfs/libxfs/xfs_inode_util.h:
// XFS_DEFAULT_COWEXTSZ_HINT).
constexpr std::uint64_t kCopyUnit = 32;

}  // namespace

// Whether `block` of the extent has other owners; `end` comes down to where that changes.
bool Xfs::is_shared(const Extent& extent, std::uint64_t block, std::uint64_t& end) const {
  if (!extent.real() || !shared_.any()) return false;
  const std::uint64_t physical = extent.block + (block - extent.first);
  const SharedBlocks::Run run = shared_.run_at(physical, std::min(end, extent.end()) - block);
  end = std::min(end, block + run.length);
  return run.extra != 0;
}

void Xfs::reserve_copies(Inode& inode, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t block = first; block < end;) {
    const std::size_t i = inode.copies.find(block);
    if (i < inode.copies.size() && inode.copies[i].first <= block) {
      block = inode.copies[i].end();
      continue;
    }
    std::uint64_t from = block / kCopyUnit * kCopyUnit;
    std::uint64_t to = (end + kCopyUnit - 1) / kCopyUnit * kCopyUnit;
    if (i > 0) from = std::max(from, inode.copies[i - 1].end());
    if (i < inode.copies.size()) to = std::min(to, inode.copies[i].first);
    inode.copies.insert({from, to - from, 0, ExtentState::delayed});
    block = to;
  }
}

// Writeback always asks to allocate; where the fork has the block the reservation is cancelled.
void Xfs::allocate_copy(Inode& inode, FileId, std::uint64_t block, Time now, const Origin& origin) {
  const Extent* copy = inode.copies.at(block);
  assert(copy != nullptr);
  Transaction transaction(*this, now, origin);
  if (copy->real()) {
    transaction.cancel();
    return;
  }
  const Extent delayed = *copy;
  const Blocks found = find_blocks(inode, inode.copies, delayed.first, delayed.length);
  inode.copies.erase(delayed.first, delayed.first + found.length);
  inode.copies.insert({delayed.first, found.length, found.first, ExtentState::unwritten});
  transaction.allocated(found.first);
  transaction.log(BufferKind::reference_counts, free_.group_of(found.first), 1);
  transaction.roll();
  transaction.log(BufferKind::reference_counts, free_.group_of(found.first), 1);
  transaction.commit();
}

// xfs_reflink_end_cow: what was written is mapped into the file, the old blocks lose an owner.
void Xfs::end_copies(Inode& inode, FileId, std::uint64_t first, std::uint64_t end, Time now,
                     const Origin& origin) {
  for (std::uint64_t block = first; block < end;) {
    const Extent* copy = inode.copies.at(block);
    if (copy == nullptr || !copy->real()) {
      ++block;
      continue;
    }
    std::uint64_t stop = std::min(end, copy->end());
    const Extent* old = inode.data.at(block);
    if (old != nullptr) stop = std::min(stop, old->end());
    const Extent placed{block, stop - block, copy->block + (block - copy->first),
                        ExtentState::written};
    Transaction transaction(*this, now, origin);
    Unmapped round;
    if (old != nullptr && old->real()) {
      Extent piece = *old;
      piece.block += block - piece.first;
      piece.first = block;
      piece.length = stop - block;
      inode.data.erase(block, stop);
      give_back(inode, piece, round);
    } else {
      inode.data.erase(block, stop);
    }
    inode.copies.erase(block, stop);
    inode.data.insert(placed);
    settle_tree(inode);
    transaction.log(inode, part::core | part::data);
    transaction.log(BufferKind::reference_counts, free_.group_of(placed.block), 1);
    transaction.roll(3);
    transaction.log(inode, part::core | part::data);
    transaction.commit();
    block = stop;
  }
}

// The source's extents become the target's too, an extent a transaction.
void Xfs::share_range(Inode& source, Inode& target, const Call& call) {
  const Operation& op = call.operation;
  const auto source_offset = static_cast<std::int64_t>(op.value);
  const std::int64_t length = op.length != 0 ? op.length : source.size - source_offset;
  if (length <= 0) return;
  if (!source.reflink || !target.reflink) {
    Transaction transaction(*this, call.now, call.origin);
    for (Inode* inode : {&source, &target}) {
      if (inode->reflink) continue;
      inode->reflink = true;
      transaction.log(*inode, part::core);
    }
    transaction.commit();
  }
  const std::uint64_t from = block_of(source_offset);
  const std::uint64_t to = blocks_for(source_offset + length);
  const std::uint64_t target_first = block_of(op.offset);
  std::size_t i = source.data.find(from);
  for (std::uint64_t block = from; block < to;) {
    const bool mapped = i < source.data.size() && source.data[i].first <= block;
    std::uint64_t stop = to;
    if (mapped)
      stop = std::min(stop, source.data[i].end());
    else if (i < source.data.size())
      stop = std::min(stop, source.data[i].first);
    Extent piece;
    if (mapped) {
      piece = source.data[i];
      piece.block += block - piece.first;
    }
    piece.first = target_first + (block - from);
    piece.length = stop - block;
    Transaction transaction(*this, call.now, call.origin);
    unsigned old_extents = 0;
    Unmapped round;
    for (std::uint64_t left = piece.end(); left > piece.first;) {
      const Unmapped more = unmap_some(target, piece.first, left);
      left = more.end;
      old_extents += more.extents;
      round.freed = round.freed || more.freed;
    }
    const bool written = mapped && piece.state == ExtentState::written;
    if (written) {
      shared_.share(piece.block, piece.length);
      target.data.insert(piece);
    } else if (mapped && piece.state == ExtentState::unwritten) {
      // Unwritten blocks read as zeros: the target gets a hole.
    }
    settle_tree(target);
    target.size = std::max(
        target.size,
        std::min(op.offset + length, static_cast<std::int64_t>(piece.end() << block_bits_)));
    target.disk_size = target.size;
    transaction.log(target, part::core | part::data);
    if (written) {
      transaction.log(BufferKind::reference_counts, free_.group_of(piece.block), 1);
      transaction.roll(2);
      transaction.log(target, part::core);
    }
    if (round.freed) transaction.roll(2);
    transaction.commit();
    block = stop;
    if (mapped) ++i;
  }
}

// copy_file_range shares whole blocks where it can (fs/read_write.c:vfs_copy_file_range).
bool Xfs::clones(const Operation& op) const {
  if ((op.flags & operation_flag::copied) == 0 || !settings_.geometry.reflink) return false;
  if (!known(op.file) || !known(op.file2) || op.file == op.file2) return false;
  const auto mask = static_cast<std::int64_t>(settings_.geometry.block_size - 1);
  const auto from = static_cast<std::int64_t>(op.value);
  if (((op.offset | from) & mask) != 0) return false;
  const bool to_the_end = from + op.length == inodes_[op.file2]->size &&
                          op.offset + op.length >= inodes_[op.file]->size;
  return (op.length & mask) == 0 || to_the_end;
}

// FICLONE, FICLONERANGE, copy_file_range of whole blocks.
void Xfs::clone(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || !known(op.file2)) return;
  Inode& target = *inodes_[op.file];
  Inode& source = *inodes_[op.file2];
  if (!target.regular() || !source.regular()) return;
  const std::uint64_t end =
      op.length == 0 ? kEndOfBlocks : blocks_for(static_cast<std::int64_t>(op.value) + op.length);
  write_back_now(op.file2, block_of(static_cast<std::int64_t>(op.value)), end, call.now,
                 call.origin);
  write_back_now(op.file, block_of(op.offset),
                 op.length == 0 ? kEndOfBlocks : blocks_for(op.offset + op.length), call.now,
                 call.origin);
  update_write_times(target, op.file, call.stamp, call.origin);
  share_range(source, target, call);
  if (wsync_)
    force_now(std::max(target.commit_sequence, source.commit_sequence), call.now, call.origin);
}

void Xfs::dedupe(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || !known(op.file2)) return;
  Inode& target = *inodes_[op.file];
  Inode& source = *inodes_[op.file2];
  write_back_now(op.file2, 0, kEndOfBlocks, call.now, call.origin);
  write_back_now(op.file, 0, kEndOfBlocks, call.now, call.origin);
  share_range(source, target, call);
}

// The range is read and dirtied, written back through the COW fork at once, and the flag that the
// file shares is looked at again.
void Xfs::unshare(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t end = blocks_for(op.offset + op.length);
  if (!inode.reflink) return;
  bool any = false;
  for (std::uint64_t block = first; block < end;) {
    const Extent* extent = inode.data.at(block);
    if (extent == nullptr) {
      ++block;
      continue;
    }
    const Extent copy = *extent;
    std::uint64_t stop = std::min(end, copy.end());
    if (is_shared(copy, block, stop)) {
      reserve_copies(inode, block, stop);
      set_dirty(inode, op.file, block, stop, call.now);
      any = true;
    }
    block = stop;
  }
  if (any) write_back_now(op.file, first, end, call.now, call.origin);
  Transaction transaction(*this, call.now, call.origin);
  bool still = false;
  for (const Extent& e : inode.data.all()) {
    std::uint64_t stop = e.end();
    for (std::uint64_t block = e.first; block < e.end() && !still; block = stop, stop = e.end())
      still = is_shared(e, block, stop);
  }
  if (!still) {
    inode.reflink = false;
    transaction.log(inode, part::core);
  }
  transaction.commit();
}

}  // namespace fcsim::model::xfs
