// Delayed allocation meets the allocator: what flushing a file journals
// (fs/ext4/inode.c:ext4_do_writepages, fs/ext4/page-io.c).
#include <algorithm>
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

bool FileSystem::start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                                 const Origin& origin) {
  Inode& inode = inodes_[file];
  const std::uint64_t longest = configuration_.kernel.delayed_allocation.max_mapping_blocks;
  while (true) {
    const auto pending = inode.pending.from(first);
    if (pending == inode.pending.runs().end() || pending->first >= end) break;
    BlockRun run{std::max(pending->first, first), std::min(pending->end, end)};
    const ExtentTree::Lookup lookup = inode.extents.lookup(run.first);
    run.end = std::min({run.end, std::max(lookup.end, run.first + 1), run.first + longest});
    if (lookup.mapped && !lookup.unwritten)
      inode.pending.erase(run.first, run.end);
    else
      write_out_run(inode, file, run, now, origin);
  }
  if (changes_ != nullptr) changes_->on_writeback(file, first, end, now, !inode.in_flight.empty());
  // Journalled pages stay dirty until their transaction is on disk.
  if (first == 0 && inode.pending.empty() && !journals_data()) inode.dirty_pages = false;
  return !inode.in_flight.empty();
}

// One WRITE_PAGE handle for a run of delayed or unwritten blocks.
void FileSystem::write_out_run(Inode& inode, FileId file, BlockRun run, Time now,
                               const Origin& origin) {
  const bool as_unwritten = configuration_.mount.dioread_nolock && geometry_.extents &&
                            configuration_.mount.delalloc && inode.regular();
  if (as_unwritten) await_reservation(now);
  if (!inode.extents.lookup(run.first).mapped) ensure_space(inode, run.length(), now, origin);
  const Handle handle(*this, now, credits_.one_extent, origin);
  const ExtentTree::Lookup lookup = inode.extents.lookup(run.first);
  if (lookup.mapped) {  // preallocated: made an extent of its own, converted when written
    if (as_unwritten)
      inode.extents.split(run.first, run.end, *this);
    else
      inode.extents.convert(run.first, run.end, false, *this);
    mark_inode_dirty(inode, file, origin);
    fast_commit_.track_range(file, static_cast<std::uint32_t>(run.first),
                             static_cast<std::uint32_t>(run.end - 1));
    update_tids(inode, !as_unwritten);
  } else {
    allocate_run(inode, file, run, as_unwritten, origin);
  }
  if (as_unwritten) {
    inode.in_flight.push_back(run);
    in_flight_files_.push_back(file);
    journal_->reserve(credits_.conversion);
  }
  inode.pending.erase(run.first, run.end);
  const auto mapped_end = static_cast<std::int64_t>(run.end << geometry_.block_bits);
  const std::int64_t disk_size = std::min(mapped_end, inode.size);
  if (disk_size > inode.disk_size) {
    inode.disk_size = disk_size;
    mark_inode_dirty(inode, file, origin);
  }
}

// Maps a hole, in as many pieces as the allocator makes of it.
void FileSystem::allocate_run(Inode& inode, FileId file, BlockRun run, bool unwritten,
                              const Origin& origin) {
  for (std::uint64_t block = run.first; block < run.end;) {
    const std::uint32_t got =
        allocate_piece(inode, file, static_cast<std::uint32_t>(block),
                       static_cast<std::uint32_t>(run.end - block), unwritten, !unwritten, true);
    mark_inode_dirty(inode, file, origin);
    if (unloggable(inode)) {  // block accounting updates the inode once more, and the map marks
      mark_inode_dirty(inode, file, origin);
      fast_commit_.mark(fast_commit::Reason::data_journalling,
                        configuration_.kernel.ineligible.special_block_map, origin);
    }
    update_tids(inode, !unwritten);
    fast_commit_.track_range(file, static_cast<std::uint32_t>(block),
                             static_cast<std::uint32_t>(block + got - 1));
    block += got;
  }
  if (changes_ != nullptr && !unwritten && configuration_.mount.data == DataMode::ordered)
    changes_->on_ordered(file, run.first, run.end);
}

std::uint32_t FileSystem::allocate_piece(Inode& inode, FileId, std::uint32_t logical,
                                         std::uint32_t length, bool unwritten, bool merge,
                                         bool preallocate) {
  reclaim_freed();
  allocation::BlockRequest request;
  request.group = inode.group;
  request.logical = logical;
  request.length = length;
  request.size_blocks = blocks_for(inode.size);
  request.open_for_write = inode.writers != 0;
  request.preallocate = preallocate;
  const Extent* left = inode.extents.left_of(logical);
  const Extent* right = inode.extents.right_of(logical);
  if (left != nullptr) {
    request.left =
        allocation::Neighbour{left->logical + left->length - 1, left->physical + left->length - 1};
    request.goal = left->physical + (logical - left->logical);
  } else if (right != nullptr) {
    const std::uint64_t distance = right->logical - logical;
    request.goal = right->physical > distance ? right->physical - distance : right->physical;
  } else {
    request.goal = blocks_.inode_goal(inode.group, inode.regular());
  }
  if (right != nullptr) request.right = allocation::Neighbour{right->logical, right->physical};
  if (request.goal >= geometry_.block_count)
    request.goal = blocks_.inode_goal(inode.group, inode.regular());
  allocation::BlockExtent found = blocks_.allocate(request, inode.windows);
  if (found.length == 0) {  // the trace's own result says that there was room: place it nowhere
    ++notes_.out_of_space;
    found = {next_unplaced_block_, std::min(length, 32767U)};
    next_unplaced_block_ += found.length + 1;
  }
  note_allocation(inode, found.physical, found.length);
  if (geometry_.extents)
    inode.extents.insert({logical, found.length, found.physical, unwritten}, merge, *this);
  else {
    inode.extents.insert({logical, found.length, found.physical, false}, true, *this);
    touch_indirect(inode, logical, std::uint64_t{logical} + found.length);
  }
  return found.length;
}

void FileSystem::note_allocation(Inode&, std::uint64_t physical, std::uint32_t length) {
  if (!geometry_.has_journal || physical >= geometry_.block_count) return;
  const std::uint32_t last = blocks_.group_of(physical + length - 1);
  for (std::uint32_t group = blocks_.group_of(physical); group <= last; ++group)
    dirty_bitmap(group);
}

// Files without extents: blocks from the twelfth on hang from indirect blocks.
void FileSystem::touch_indirect(Inode& inode, std::uint64_t first, std::uint64_t end) {
  constexpr std::uint64_t direct = 12;
  const std::uint64_t per_block = geometry_.block_size / 4;
  for (std::uint64_t block = std::max(first, direct); block < end; block += per_block) {
    const std::uint64_t index = (block - direct) / per_block;
    while (inode.indirect.size() <= index) {
      inode.indirect.push_back({0, inode.tracked.file, ItemKind::indirect_block});
      (void)allocate_leaf(blocks_.inode_goal(inode.group, true));
    }
    dirty_block(inode.indirect[index]);
  }
}

// A writer whose conversion finds no credits to reserve waits for earlier ones to run.
void FileSystem::await_reservation(Time now) {
  while (journal_->reservations_full(credits_.conversion) && !in_flight_files_.empty()) {
    const FileId oldest = in_flight_files_.front();
    in_flight_files_.pop_front();
    if (known(oldest)) complete_io(oldest, now);
  }
}

std::uint64_t FileSystem::bytes_in_flight(FileId file) const {
  std::uint64_t blocks = 0;
  for (const BlockRun& run : inodes_[file].in_flight) blocks += run.length();
  return blocks << geometry_.block_bits;
}

// ext4_convert_unwritten_extents: one EXT_CONVERT handle for each run that was written.
void FileSystem::complete_io(FileId file, Time now) {
  if (changes_ != nullptr) changes_->on_io_end(file, now);
  Inode& inode = inodes_[file];
  const Origin origin{0, 0, 0, OperationKind::none, file};
  for (std::size_t i = 0; i < inode.in_flight.size(); ++i) {
    const BlockRun run = inode.in_flight[i];
    journal_->release(credits_.conversion);
    const Handle handle(*this, now, credits_.conversion, origin);
    inode.extents.convert(run.first, run.end, false, *this);
    update_tids(inode, true);
    mark_inode_dirty(inode, file, origin);
    fast_commit_.track_range(file, static_cast<std::uint32_t>(run.first),
                             static_cast<std::uint32_t>(run.end - 1));
    update_tids(inode, true);
  }
  inode.in_flight.clear();
  while (!in_flight_files_.empty() &&
         (!known(in_flight_files_.front()) || inodes_[in_flight_files_.front()].in_flight.empty()))
    in_flight_files_.pop_front();
}

// filemap_flush where delayed blocks wait (ext4_alloc_da_blocks).
void FileSystem::flush_asynchronously(FileId file, Time now, const Origin& origin) {
  if (inodes_[file].pending.empty()) return;
  if (start_writeback(file, 0, ExtentTree::kEnd, now, origin))
    note_started_io(file, AwaitedBy::nobody);
}

// Which pages a program stored to is invisible: all of the range that have no block yet, or an
// unwritten one, are taken as dirty, and the first store of a tick moves the times.
void FileSystem::store_through_mapping(FileId file, std::int64_t offset, std::int64_t length,
                                       Time now, const Origin& origin) {
  if (!known(file)) return;
  Inode& inode = inodes_[file];
  read_in(inode);
  ++notes_.mapped_stores_guessed;
  update_write_times(inode, file, now, origin);
  const std::int64_t end_bytes = std::min(offset + length, inode.size);
  if (end_bytes <= offset) return;
  const std::uint64_t end = blocks_for(end_bytes);
  for (std::uint64_t block = block_of(offset); block < end;) {
    cache_status(inode, block);
    const ExtentTree::Lookup run = inode.extents.lookup(block);
    const std::uint64_t stop = std::min(std::max(run.end, block + 1), end);
    if (!run.mapped || run.unwritten) inode.pending.insert(block, stop);
    block = stop;
  }
  inode.dirty_pages = true;
  set_dirty_state(inode, now);
}

}  // namespace fcsim::model::ext4
