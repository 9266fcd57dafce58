// fallocate (fs/xfs/xfs_file.c:xfs_file_fallocate, fs/xfs/xfs_bmap_util.c).
#include <algorithm>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

// include/uapi/linux/falloc.h
constexpr std::uint64_t kKeepSize = 1, kPunchHole = 2, kCollapseRange = 8, kZeroRange = 16,
                        kInsertRange = 32, kUnshareRange = 64;

}  // namespace

void Xfs::fallocate(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  if (!inode.regular()) return;
  update_write_times(inode, op.file, call.stamp, call.origin);
  const std::int64_t end_bytes = op.offset + op.length;
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t end = blocks_for(end_bytes);
  const bool grows = (op.value & kKeepSize) == 0 && end_bytes > inode.size;
  if ((op.value & kPunchHole) != 0) {
    free_range(inode, call, op.offset, op.length);
  } else if ((op.value & kCollapseRange) != 0) {
    collapse(inode, call);
  } else if ((op.value & kInsertRange) != 0) {
    insert(inode, call);
  } else {
    if ((op.value & kZeroRange) != 0) {
      free_range(inode, call, op.offset, op.length);
    } else if ((op.value & kUnshareRange) != 0) {
      unshare(inode, call);
    }
    allocate_range(inode, call, first, end);
    if (grows) set_size(op.file, end_bytes, false, call);
  }
  constexpr std::uint32_t synchronous = operation_flag::sync | operation_flag::dsync;
  if (((op.flags & synchronous) != 0 || wsync_) && !wait_)
    force_now(inode.commit_sequence, call.now, call.origin);
}

// xfs_alloc_file_space: a transaction for each mapping that the range meets, missing or not.
void Xfs::allocate_range(Inode& inode, const Call& call, std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t block = first; block < end;) {
    const std::size_t i = inode.data.find(block);
    std::uint64_t stop = end;
    Transaction transaction(*this, call.now, call.origin);
    if (i < inode.data.size() && inode.data[i].first <= block && inode.data[i].real()) {
      stop = std::min(stop, inode.data[i].end());
    } else {
      if (i < inode.data.size())
        stop = std::min(stop,
                        inode.data[i].first <= block ? inode.data[i].end() : inode.data[i].first);
      const Blocks found = find_blocks(inode, inode.data, block, stop - block);
      inode.data.erase(block, block + found.length);
      inode.data.insert({block, found.length, found.first, ExtentState::unwritten});
      transaction.allocated(found.first);
      stop = block + found.length;
    }
    inode.preallocated = true;
    settle_tree(inode);
    transaction.log(inode, part::core | part::data);
    transaction.commit();
    block = stop;
  }
}

// xfs_free_file_space: whole blocks are unmapped, two extents a transaction; parts of blocks are
// zeroed in memory.
void Xfs::free_range(Inode& inode, const Call& call, std::int64_t offset, std::int64_t length) {
  const FileId file = call.operation.file;
  const std::uint64_t first = blocks_for(offset);
  const std::uint64_t end = block_of(offset + length);
  write_back_now(file, block_of(offset), blocks_for(offset + length), call.now, call.origin);
  for (std::uint64_t left = end; left > first;) {
    Transaction transaction(*this, call.now, call.origin);
    const Unmapped round = unmap_some(inode, first, left);
    left = round.end;
    const bool shrunk = settle_tree(inode);
    if (round.freed) {
      transaction.allocated(free_.group_start(inode.place.group));
      transaction.log(inode, part::core | part::data);
      transaction.roll(rolls_of(inode, round) - 1);
    } else if (shrunk) {
      transaction.roll();
    }
    transaction.commit();
  }
  const std::int64_t limit = std::min(offset + length, inode.size);
  if (offset < limit) {
    const auto first_bytes = static_cast<std::int64_t>(first << block_bits_);
    const auto end_bytes = static_cast<std::int64_t>(end << block_bits_);
    if (offset < first_bytes) zero(inode, file, offset, std::min(first_bytes, limit), call.now);
    if (end_bytes < limit && end >= first) zero(inode, file, end_bytes, limit, call.now);
  }
}

// xfs_collapse_file_space: the hole, then one extent a roll moves down; at last the size.
void Xfs::collapse(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  free_range(inode, call, op.offset, op.length);
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t by = block_of(op.length);
  if (can_free_beyond_end(inode)) free_beyond_end(inode, op.file, call.now, call.origin);
  write_back_now(op.file, first, kEndOfBlocks, call.now, call.origin);
  {
    Transaction transaction(*this, call.now, call.origin);
    const std::size_t from = inode.data.find(first + by);
    const std::size_t moved = inode.data.size() - from;
    inode.data.shift(first + by, -static_cast<std::int64_t>(by));
    transaction.log(inode, part::core | part::data);
    if (moved > 1) transaction.roll(static_cast<unsigned>(moved - 1));
    transaction.log(inode, part::core | part::data);
    transaction.commit();
  }
  set_size(op.file, std::max<std::int64_t>(0, inode.size - op.length), false, call);
}

// xfs_insert_file_space: the size first; the extent at the place is split, which is rolled; then
// one extent a roll moves up.
void Xfs::insert(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  set_size(op.file, inode.size + op.length, false, call);
  const std::uint64_t first = block_of(op.offset);
  if (can_free_beyond_end(inode)) free_beyond_end(inode, op.file, call.now, call.origin);
  write_back_now(op.file, first, kEndOfBlocks, call.now, call.origin);
  Transaction transaction(*this, call.now, call.origin);
  if (inode.data.split(first)) {
    transaction.log(inode, part::core | part::data);
    transaction.roll();
  }
  const std::size_t moved = inode.data.size() - inode.data.find(first);
  inode.data.shift(first, static_cast<std::int64_t>(block_of(op.length)));
  transaction.log(inode, part::core | part::data);
  if (moved > 1) transaction.roll(static_cast<unsigned>(moved - 1));
  transaction.log(inode, part::core | part::data);
  settle_tree(inode);
  transaction.commit();
}

}  // namespace fcsim::model::xfs
