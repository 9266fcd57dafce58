// Opening, writing and closing files (fs/ext4/file.c, fs/ext4/inode.c).
#include <algorithm>
#include <bit>
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

void FileSystem::open(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  ++inode.opens;
  if ((op.flags & operation_flag::for_write) != 0) ++inode.writers;
  if (inode.regular()) stamp_superblock(call.now, call.origin);
}

// ext4_release_file: a file that was cut to nothing has its new data allocated at the next close;
// the last writer gives its preallocated blocks back unless delayed ones still wait.
void FileSystem::release(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  if (inode.truncated_to_zero) {
    inode.truncated_to_zero = false;
    flush_asynchronously(op.file, call.now, call.origin);
  }
  if (inode.opens != 0) --inode.opens;
  if ((op.flags & operation_flag::for_write) == 0) return;
  if (inode.writers != 0) --inode.writers;
  if (inode.writers == 0 && inode.pending.empty()) blocks_.discard(inode.windows);
}

// file_remove_privs: a write takes the file's capabilities away, as removexattr would.
void FileSystem::strip_privileges(Inode& inode, const Call& call) {
  if (!inode.capability) return;
  const ExtendedAttribute* const stored = inode.attributes.find(*inode.capability);
  // 20 or 24 bytes, so in practice in the inode.
  if (stored != nullptr && stored->in_inode) inode.attributes.erase(*inode.capability);
  inode.capability.reset();
  Handle handle(*this, call.now, credits_.xattr, call.origin);
  note_xattr_change(inode, call.operation.file, call, handle);
  fast_commit_.mark(fast_commit::Reason::extended_attributes,
                    configuration_.kernel.ineligible.xattr_outer, call.origin);
}

void FileSystem::write(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file) || op.length <= 0) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  strip_privileges(inode, call);
  update_write_times(inode, op.file, call.now, call.origin);
  const bool journals_data =
      configuration_.mount.data == DataMode::journal || (inode.regular() && unloggable(inode));
  const bool direct =
      (op.flags & operation_flag::direct) != 0 && !journals_data && !inode.inline_data;
  if (direct) {
    write_direct(inode, call);
    return;
  }
  if (inode.inline_data && write_inline(inode, call)) return;
  constexpr std::int64_t largest_folio = std::int64_t{1} << 21;
  inode.folio_blocks = static_cast<std::uint32_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::min(op.length, largest_folio))) >>
      geometry_.block_bits);
  if (journals_data || !configuration_.mount.delalloc)
    write_allocating(inode, call);
  else
    write_delayed(inode, call);
}

// ext4_da_write_begin and _end: blocks are reserved, nothing is allocated; the size on disk moves
// at once only where the last block touched is allocated already.
void FileSystem::write_delayed(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  const std::uint64_t end = blocks_for(end_bytes);
  for (std::uint64_t block = block_of(op.offset); block < end;) {
    cache_status(inode, block);
    const ExtentTree::Lookup run = inode.extents.lookup(block);
    const std::uint64_t stop = std::min(run.end, end);
    if (!run.mapped || run.unwritten) inode.pending.insert(block, stop);
    block = std::max(stop, block + 1);
  }
  if (!inode.dirty_pages) {
    inode.dirty_pages = true;
    set_dirty_state(inode, call.now);
  }
  const std::int64_t old_size = inode.size;
  inode.size = std::max(inode.size, end_bytes);

  const DelayedAllocationRules& rules = configuration_.kernel.delayed_allocation;
  const bool gap = op.offset > old_size && rules.gap_write_handle;
  const bool size_moves =
      end_bytes > inode.disk_size && !inode.pending.contains(block_of(end_bytes - 1));
  const bool grows = end_bytes > old_size && rules.size_dirties_inode;
  if (!gap && !size_moves && !grows) return;
  const Handle handle(*this, call.now, credits_.inode, call.origin);
  if (size_moves) inode.disk_size = inode.size;
  if (size_moves || grows) mark_inode_dirty(inode, op.file, call.origin);
}

// nodelalloc and journalled data: a handle for each page or folio, allocating as it goes.
void FileSystem::write_allocating(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const bool journals_data = configuration_.mount.data == DataMode::journal || unloggable(inode);
  const std::int64_t page = configuration_.kernel.delayed_allocation.large_folios && !journals_data
                                ? std::int64_t{1} << 21
                                : std::int64_t{4096};
  for (std::int64_t at = op.offset; at < op.offset + op.length;) {
    const std::int64_t stop = std::min(op.offset + op.length, (at / page + 1) * page);
    const auto blocks = static_cast<std::uint32_t>(blocks_for(stop) - block_of(at));
    ensure_space(inode, blocks, call.now, call.origin);
    const Handle handle(*this, call.now, credits_.one_extent + 1 + (journals_data ? 2 * blocks : 0),
                        call.origin);
    for (std::uint64_t block = block_of(at); block < blocks_for(stop);) {
      cache_status(inode, block);
      const ExtentTree::Lookup run = inode.extents.lookup(block);
      const std::uint64_t run_end = std::min(std::max(run.end, block + 1), blocks_for(stop));
      if (!run.mapped)
        allocate_run(inode, op.file, {block, run_end}, false, call.origin);
      else if (run.unwritten) {
        inode.extents.convert(block, run_end, false, *this);
        mark_inode_dirty(inode, op.file, call.origin);
        fast_commit_.track_range(op.file, static_cast<std::uint32_t>(block),
                                 static_cast<std::uint32_t>(run_end - 1));
        update_tids(inode, true);
      }
      if (journals_data && geometry_.has_journal) {
        if (inode.journalled_tid != journal_->running()) inode.journalled.clear();
        inode.journalled_tid = journal_->running();
        for (std::uint64_t b = block; b < run_end; ++b) {
          if (inode.journalled.contains(b)) continue;
          inode.journalled.insert(b, b + 1);
          // Journalled data counts like a metadata block of this transaction.
          LogItem data{0, op.file, ItemKind::data};
          dirty_block(data);
        }
        inode.datasync_tid = journal_->running();
      }
      block = run_end;
    }
    if (stop > inode.size) {
      inode.size = inode.disk_size = stop;
      mark_inode_dirty(inode, op.file, call.origin);
    }
    at = stop;
  }
  inode.dirty_pages = true;
  set_dirty_state(inode, call.now);
}

// ext4_dio_write_iter: an extending write goes through the orphan list, blocks beyond the size are
// allocated as written, holes inside as unwritten and converted at the end.
void FileSystem::write_direct(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  const std::uint64_t first = block_of(op.offset);
  const std::uint64_t end = blocks_for(end_bytes);
  if (!inode.pending.empty() || !inode.in_flight.empty()) {  // cached pages are written first
    if (start_writeback(op.file, first, end, call.now, call.origin)) complete_io(op.file, call.now);
  }
  const bool extends = end_bytes > inode.disk_size;
  if (extends) {
    const Handle handle(*this, call.now, credits_.inode, call.origin);
    orphan_add(inode, op.file, call.origin);
  }
  boost::container::small_vector<BlockRun, 2> unwritten;
  for (std::uint64_t block = first; block < end;) {
    cache_status(inode, block);
    const ExtentTree::Lookup run = inode.extents.lookup(block);
    const std::uint64_t stop = std::min(std::max(run.end, block + 1), end);
    const bool beyond = static_cast<std::int64_t>(block << geometry_.block_bits) >= inode.size;
    if (!run.mapped) {
      ensure_space(inode, stop - block, call.now, call.origin);
      const Handle handle(*this, call.now, credits_.one_extent, call.origin);
      const bool as_unwritten = !beyond && geometry_.extents;
      allocate_run(inode, op.file, {block, stop}, as_unwritten, call.origin);
      if (as_unwritten) unwritten.push_back({block, stop});
    } else if (run.unwritten) {
      const Handle handle(*this, call.now, credits_.one_extent, call.origin);
      inode.extents.split(block, stop, *this);
      mark_inode_dirty(inode, op.file, call.origin);
      fast_commit_.track_range(op.file, static_cast<std::uint32_t>(block),
                               static_cast<std::uint32_t>(stop - 1));
      update_tids(inode, false);
      unwritten.push_back({block, stop});
    }
    block = stop;
  }
  for (const BlockRun& run : unwritten) {
    const Handle handle(*this, call.now, credits_.one_extent, call.origin);
    inode.extents.convert(run.first, run.end, false, *this);
    fast_commit_.track_range(op.file, static_cast<std::uint32_t>(run.first),
                             static_cast<std::uint32_t>(run.end - 1));
    update_tids(inode, true);
    mark_inode_dirty(inode, op.file, call.origin);
  }
  if (!extends) return;
  const Handle handle(*this, call.now, credits_.inode, call.origin);
  inode.size = std::max(inode.size, end_bytes);
  inode.disk_size = inode.size;
  mark_inode_dirty(inode, op.file, call.origin);
  orphan_remove(inode, op.file, call.origin);
}

// ---- data inside the inode ------------------------------------------------------------------

// 60 bytes of i_block, and what the xattr area holds besides its header, the entry of "data" and
// the closing word (fs/ext4/inline.c:get_max_inline_xattr_value_size).
std::int64_t FileSystem::max_inline_bytes() const {
  const std::int64_t room = std::int64_t{geometry_.inode_size} - 128 - geometry_.extra_isize;
  return 60 + std::max<std::int64_t>(0, room - 4 - 20 - 4);
}

bool FileSystem::write_inline(Inode& inode, const Call& call) {
  const Operation& op = call.operation;
  const std::int64_t end_bytes = op.offset + op.length;
  if (end_bytes > max_inline_bytes()) {
    leave_inline(inode, op.file, call);
    return false;
  }
  const Handle handle(*this, call.now, credits_.inode, call.origin);
  inode.size = std::max(inode.size, end_bytes);
  inode.disk_size = inode.size;
  mark_inode_dirty(inode, op.file, call.origin);
  return true;
}

// The first write that does not fit moves what is there to a block, delayed as all data is.
void FileSystem::leave_inline(Inode& inode, FileId file, const Call& call) {
  inode.inline_data = false;
  if (inode.size == 0) return;
  const Handle handle(*this, call.now, credits_.inode, call.origin);
  mark_inode_dirty(inode, file, call.origin);
  inode.pending.insert(0, blocks_for(inode.size));
  inode.dirty_pages = true;
}

}  // namespace fcsim::model::ext4
