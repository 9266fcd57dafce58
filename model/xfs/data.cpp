// Writing and closing files (fs/xfs/xfs_file.c, fs/xfs/xfs_iomap.c).
#include <algorithm>
#include <bit>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {
namespace {

// Without allocsize= a file gets preallocation from 64 KiB on (fs/xfs/xfs_mount.c:
// xfs_set_rsumfsb and XFS_WRITEIO_LOG_LARGE).
constexpr std::uint32_t kSmallestPreallocation = 65536;
// One step of a buffered write maps no more (fs/xfs/xfs_iomap.c: 1024 pages).
constexpr std::int64_t kMapStep = 1024 * 4096;

}  // namespace

// xfs_file_release: blocks beyond the end go at the first close by a writer, unless somebody asked
// for them; a file that was cut is written at once, so that its new data do not lie far after it.
void Xfs::release(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = *inodes_[op.file];
  if (!inode.regular()) return;
  if (inode.truncated) {
    inode.truncated = false;
    inode.eof_released = false;
    if (inode.delayed_blocks() != 0 &&
        start_writeback(op.file, 0, kEndOfBlocks, call.now, call.origin))
      started_io_.push_back(op.file);
  }
  if ((op.flags & operation_flag::for_write) == 0) return;
  if (inode.links == 0 || inode.eof_released || !can_free_beyond_end(inode)) return;
  inode.eof_released = true;
  free_beyond_end(inode, op.file, call.now, call.origin);
}

void Xfs::write_back_now(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                         const Origin& origin) {
  if (start_writeback(file, first, end, now, origin)) complete_io(file, now, origin);
}

// Zeroes what is written in [from, to), in memory. Whether anything was.
bool Xfs::zero(Inode& inode, FileId file, std::int64_t from, std::int64_t to, Time now) {
  bool done = false;
  const std::uint64_t end = blocks_for(to);
  for (std::uint64_t block = block_of(from); block < end;) {
    const std::size_t i = inode.data.find(block);
    if (i == inode.data.size() || inode.data[i].first >= end) break;
    const Extent extent = inode.data[i];
    const std::uint64_t first = std::max(block, extent.first);
    const std::uint64_t stop = std::min(extent.end(), end);
    for (std::uint64_t b = first; b < stop; ++b) {
      if (extent.state != ExtentState::written && !inode.dirty.contains(b)) continue;
      set_dirty(inode, file, b, b + 1, now);
      done = true;
    }
    block = stop;
  }
  return done;
}

void Xfs::write(const Call& call) {
  const Operation& op = call.operation;
  wrote_through_ = false;
  if (!known(op.file) || op.length <= 0) return;
  Inode& inode = *inodes_[op.file];
  if (op.offset > inode.size) zero(inode, op.file, inode.size, op.offset, call.now);
  update_write_times(inode, op.file, call.stamp, call.origin);
  if ((op.flags & operation_flag::direct) != 0)
    write_direct(inode, call);
  else
    write_buffered(inode, call);
}

// xfs_buffered_write_iomap_begin: holes get delayed blocks, shared blocks a place in the COW fork.
void Xfs::write_buffered(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  for (std::int64_t at = op.offset; at < end_bytes;) {
    const std::int64_t count = std::min(end_bytes - at, kMapStep);
    const std::uint64_t first = block_of(at);
    const std::uint64_t end = blocks_for(at + count);
    const std::size_t i = inode.data.find(first);
    std::uint64_t stop = end;
    if (i == inode.data.size() || inode.data[i].first > first) {
      if (i != inode.data.size()) stop = std::min(stop, inode.data[i].first);
      reserve_delayed(inode, first, stop, at, count);
    } else {
      const Extent extent = inode.data[i];
      stop = std::min(stop, extent.end());
      std::uint64_t same = stop;
      if (inode.reflink && is_shared(extent, first, same))
        reserve_copies(inode, first, std::min(same, stop));
      stop = std::min(stop, same);
    }
    set_dirty(inode, op.file, first, stop, call.now);
    const std::int64_t next = std::min(end_bytes, static_cast<std::int64_t>(stop << block_bits_));
    inode.size = std::max(inode.size, next);
    assert(next > at);
    at = next;
  }
}

void Xfs::reserve_delayed(Inode& inode, std::uint64_t first, std::uint64_t end, std::int64_t offset,
                          std::int64_t count) {
  const bool at_end = inode.data.find(first) == inode.data.size();
  std::uint64_t stop = end;
  if (at_end && offset + count > inode.size) {
    const std::uint64_t extra = preallocation(inode, first);
    if (extra != 0) {
      const std::uint32_t unit = settings_.mount.allocsize_bytes != 0
                                     ? settings_.mount.allocsize_bytes
                                     : kSmallestPreallocation;
      const std::int64_t aligned = (offset + count - 1) / unit * unit;
      stop = std::max(stop, block_of(aligned) + extra);
    }
  }
  stop = std::min(stop, first + kLongestExtent);
  inode.data.insert({first, stop - first, 0, ExtentState::delayed});
}

// xfs_iomap_prealloc_size: twice the contiguous stretch before it, rounded down to a power of two.
std::uint64_t Xfs::preallocation(const Inode& inode, std::uint64_t first) const {
  if (settings_.mount.allocsize_bytes != 0) return settings_.mount.allocsize_bytes >> block_bits_;
  const std::uint64_t smallest = kSmallestPreallocation >> block_bits_;
  if (inode.size < kSmallestPreallocation) return 0;
  if (inode.size < static_cast<std::int64_t>(settings_.geometry.stripe_unit_blocks) << block_bits_)
    return smallest;
  std::size_t i = inode.data.find(first);
  if (i == 0 || inode.data[i - 1].end() < first) return smallest;
  std::uint64_t length = inode.data[--i].length;
  while (i > 0 && length <= kLongestExtent / 2) {
    const Extent& before = inode.data[i - 1];
    const Extent& after = inode.data[i];
    if (!before.real() || before.end() != after.first || !after.real() ||
        before.block + before.length != after.block)
      break;
    length += before.length;
    --i;
  }
  std::uint64_t blocks = length * 2;
  if (blocks > kLongestExtent) blocks = blocks_for(inode.size);
  blocks = std::min<std::uint64_t>(std::bit_floor(blocks), kLongestExtent);
  while (blocks != 0 && blocks >= free_.free_blocks()) blocks >>= 4;
  return std::max(blocks, smallest);
}

// Holes are allocated as unwritten and converted when the data are there, with the new size
// (xfs_iomap_write_direct, xfs_dio_write_end_io).
void Xfs::write_direct(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t end = blocks_for(end_bytes);
  write_back_now(op.file, first, end, call.now, call.origin);
  bool unwritten = false;
  bool copied = false;
  for (std::uint64_t block = first; block < end;) {
    const std::size_t i = inode.data.find(block);
    std::uint64_t stop = end;
    if (i == inode.data.size() || inode.data[i].first > block) {
      if (i != inode.data.size()) stop = std::min(stop, inode.data[i].first);
      Transaction transaction(*this, call.now, call.origin);
      const Blocks found = find_blocks(inode, inode.data, block, stop - block);
      inode.data.insert({block, found.length, found.first, ExtentState::unwritten});
      transaction.allocated(found.first);
      settle_tree(inode);
      transaction.log(inode, part::core | part::data);
      transaction.commit();
      stop = block + found.length;
      unwritten = true;
    } else {
      const Extent extent = inode.data[i];
      stop = std::min(stop, extent.end());
      std::uint64_t same = stop;
      if (extent.state == ExtentState::delayed) {
        allocate_delayed(inode, op.file, block, call.now, call.origin);
        unwritten = true;
      } else if (extent.state == ExtentState::unwritten) {
        unwritten = true;
      } else if (inode.reflink && is_shared(extent, block, same)) {
        stop = std::min(stop, same);
        reserve_copies(inode, block, stop);
        if (!inode.copies.at(block)->real())
          allocate_copy(inode, op.file, block, call.now, call.origin);
        copied = true;
      } else {
        stop = std::min(stop, same);
      }
    }
    block = stop;
  }
  // O_DSYNC of what is written already, with nothing pending: the data go out with FUA where the
  // device has it (fs/iomap/direct-io.c:iomap_dio_bio_iter).
  const bool overwrites = !copied && !unwritten && end_bytes <= inode.disk_size;
  if (overwrites && (op.flags & operation_flag::dsync) != 0 &&
      (op.flags & operation_flag::sync) == 0 && device_.writes_through() &&
      inode.datasync_sequence <= log_.durable()) {
    device_.write(false, true);
    wrote_through_ = true;
  }
  if (copied) end_copies(inode, op.file, first, end, call.now, call.origin);
  if (unwritten)
    convert(inode, op.file, first, end, end_bytes, call.now, call.origin);
  else if (end_bytes > inode.disk_size && end_bytes > inode.size)
    set_disk_size(inode, op.file, end_bytes, call.now, call.origin);
  inode.size = std::max(inode.size, end_bytes);
  clean(inode, op.file, first, end);
}

// Which pages a program stored to is invisible: all of the range that can be dirtied are taken as
// dirty, and the first store of a tick moves the times.
void Xfs::store_through_mapping(FileId file, std::int64_t offset, std::int64_t length, Time now,
                                const Origin& origin) {
  if (!known(file)) return;
  Inode& inode = *inodes_[file];
  ++notes_.mapped_stores_guessed;
  update_write_times(inode, file, now - settings_.rules.fault_before_msync_us * 1000, origin);
  const std::int64_t end_bytes = std::min(offset + length, inode.size);
  if (end_bytes <= offset) return;
  const std::uint64_t end = blocks_for(end_bytes);
  for (std::uint64_t block = block_of(offset); block < end;) {
    const std::size_t i = inode.data.find(block);
    std::uint64_t stop = end;
    if (i == inode.data.size() || inode.data[i].first > block) {
      if (i != inode.data.size()) stop = std::min(stop, inode.data[i].first);
      inode.data.insert({block, stop - block, 0, ExtentState::delayed});
    } else {
      stop = std::min(stop, inode.data[i].end());
    }
    block = stop;
  }
  set_dirty(inode, file, block_of(offset), end, now);
}

}  // namespace fcsim::model::xfs
