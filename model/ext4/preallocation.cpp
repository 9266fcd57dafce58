// fallocate in all its modes (fs/ext4/extents.c:ext4_fallocate and below).
#include <algorithm>
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {
namespace {

// Modes as in include/uapi/linux/falloc.h.
constexpr std::uint64_t kKeepSize = 0x01, kPunchHole = 0x02, kCollapse = 0x08, kZero = 0x10,
                        kInsert = 0x20;
constexpr std::uint32_t kLargestRequest = 32767;  // EXT_UNWRITTEN_MAX_LEN

}  // namespace

void FileSystem::fallocate(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || op.length <= 0) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  strip_privileges(inode, call);
  if (inode.inline_data) leave_inline(inode, op.file, call);
  if ((op.value & (kCollapse | kInsert)) != 0) {
    shift_range(inode, call, (op.value & kInsert) != 0);
    return;
  }
  update_write_times(inode, op.file, call.now, call.origin);
  if ((op.value & kPunchHole) != 0)
    punch(inode, call);
  else
    preallocate(inode, call, (op.value & kKeepSize) != 0, (op.value & kZero) != 0);
}

// One mapping request of a fallocate, in a handle of its own; returns where it ended, `block` where
// there was no space.
std::uint64_t FileSystem::preallocate_piece(Inode& inode, const Call& call, std::uint64_t block,
                                            const Preallocating& wanted) {
  const Operation& op = call.operation;
  const Handle handle(*this, call.now, credits_.one_extent, call.origin);
  cache_status(inode, block);
  const ExtentTree::Lookup run = inode.extents.lookup(block);
  std::uint64_t stop =
      std::min({std::max(run.end, block + 1), wanted.end, block + kLargestRequest});
  bool changed = true;
  if (!run.mapped) {
    const std::uint32_t room =
        room_for(inode, static_cast<std::uint32_t>(stop - block), wanted.fails);
    stop = block;
    if (room != 0)
      stop += allocate_piece(inode, op.file, static_cast<std::uint32_t>(block), room, true, true,
                             wanted.normalize);
  } else if (!run.unwritten) {
    changed = wanted.convert_written;
    if (changed) inode.extents.convert(block, stop, true, *this);
  }
  if (changed) mark_inode_dirty(inode, op.file, call.origin);
  if (stop == block) return block;
  if (changed)
    fast_commit_.track_range(op.file, static_cast<std::uint32_t>(block),
                             static_cast<std::uint32_t>(stop - 1));
  change_ctime(inode, call.now);
  if (wanted.grows) {
    const auto reached = static_cast<std::int64_t>(stop << geometry_.block_bits);
    inode.size = std::max(inode.size, std::min(op.offset + op.length, reached));
    inode.disk_size = inode.size;
    inode.mtime = inode.ctime;
  }
  mark_inode_dirty(inode, op.file, call.origin);
  update_tids(inode, true);
  return stop;
}

// ext4_alloc_file_blocks: a handle for each mapping request; `convert_written` is a zero range,
// which turns written blocks into unwritten ones. No handle is synchronous, whatever the mount and
// the file say; measured on 6.18 too.
void FileSystem::preallocate(Inode& inode, const Call& call, bool keep_size, bool convert_written) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  const std::uint64_t end = blocks_for(end_bytes);
  if (convert_written) {  // cached pages of whole blocks are dropped, partial ones written first
    inode.pending.erase(blocks_for(op.offset),
                        std::max(blocks_for(op.offset), block_of(end_bytes)));
    if (!inode.pending.empty() &&
        start_writeback(op.file, block_of(op.offset), end, call.now, call.origin))
      complete_io(op.file, call.now);
  }
  Preallocating wanted;
  wanted.end = end;
  wanted.normalize = end - block_of(op.offset) > kLargestRequest;
  wanted.convert_written = convert_written;
  wanted.grows = !keep_size && end_bytes > inode.size;
  wanted.fails = (op.flags & operation_flag::failed_no_space) != 0;
  std::uint32_t retries = 0;
  for (std::uint64_t block = block_of(op.offset); block < end;) {
    const std::uint64_t stop = preallocate_piece(inode, call, block, wanted);
    if (stop == block) {
      if (!retry_allocation(call, retries)) break;
      continue;
    }
    retries = 0;
    block = stop;
  }
  if (wanted.fails) return;
  if (convert_written && block_of(op.offset) == blocks_for(op.offset) && block_of(end_bytes) == end)
    return;
  if (!convert_written) return;
  const Handle handle(*this, call.now, credits_.one_extent, call.origin);  // the partial edges
  mark_inode_dirty(inode, op.file, call.origin);
  update_tids(inode, true);
}

// The range recorded ends one block after the hole (fs/ext4/inode.c:ext4_punch_hole).
void FileSystem::punch(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes =
      std::min(op.offset + op.length,
               std::max(op.offset,
                        static_cast<std::int64_t>(blocks_for(inode.size) << geometry_.block_bits)));
  if (op.offset >= inode.size) return;
  const std::uint64_t first = blocks_for(op.offset);
  const std::uint64_t stop = std::max(block_of(op.offset), block_of(end_bytes));
  Handle handle(*this, call.now, credits_.one_extent, call.origin);
  bool freed = false;
  if (stop > first) {
    inode.pending.erase(first, stop);
    blocks_.discard(inode.windows);
    free_blocks(inode, first, stop);
    freed = !freed_.empty();
  }
  fast_commit_.track_range(op.file, static_cast<std::uint32_t>(first),
                           static_cast<std::uint32_t>(stop));
  change_ctime(inode, call.now);
  inode.mtime = inode.ctime;
  mark_inode_dirty(inode, op.file, call.origin);
  update_tids(inode, freed);
  handle.synchronous(is_synchronous(inode));
}

// Collapse and insert move extents about, which the log has no record for.
void FileSystem::shift_range(Inode& inode, const Call& call, bool insert) {
  const Operation& op = call.operation;
  const std::uint64_t all = ExtentTree::kEnd;
  if (start_writeback(op.file, 0, all, call.now, call.origin)) complete_io(op.file, call.now);
  update_write_times(inode, op.file, call.now, call.origin);
  Handle handle(*this, call.now, credits_.one_extent, call.origin);
  fast_commit_.mark(fast_commit::Reason::fallocate_range, 1, call.origin);
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t count = block_of(op.length);
  blocks_.discard(inode.windows);
  if (insert) {
    inode.extents.split(first, first, *this);
    inode.extents.shift(first, static_cast<std::int64_t>(count), *this);
    inode.size += op.length;
  } else {
    free_blocks(inode, first, first + count);
    inode.extents.shift(first + count, -static_cast<std::int64_t>(count), *this);
    inode.size -= std::min(op.length, inode.size);
  }
  inode.disk_size = inode.size;
  change_ctime(inode, call.now);
  inode.mtime = inode.ctime;
  mark_inode_dirty(inode, op.file, call.origin);
  update_tids(inode, true);
  handle.synchronous(is_synchronous(inode));
}

}  // namespace fcsim::model::ext4
