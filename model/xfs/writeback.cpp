// Writeback: delayed blocks get a place, written ones are converted when their I/O has ended
// (fs/xfs/xfs_aops.c, fs/xfs/libxfs/xfs_bmap.c).
#include <algorithm>
#include <cassert>

#include "model/xfs/xfs.h"

namespace fcsim::model::xfs {

bool Xfs::start_writeback(FileId file, std::uint64_t first, std::uint64_t end, Time now,
                          const Origin& origin) {
  if (!known(file)) return false;
  Inode& inode = *inodes_[file];
  const std::uint64_t size_end = blocks_for(inode.size);
  while (true) {
    const auto run = inode.dirty.from(first);
    if (run == inode.dirty.runs().end() || run->first >= std::min(end, size_end)) break;
    const std::uint64_t block = std::max(run->first, first);
    std::uint64_t stop = std::min({run->end, end, size_end});
    Stretch::Kind kind = Stretch::Kind::overwrite;
    const Extent* extent = inode.data.at(block);
    if (const Extent* copy = inode.copies.at(block)) {
      stop = std::min(stop, copy->end());
      allocate_copy(inode, file, block, now, origin);
      kind = Stretch::Kind::copied;
    } else if (extent == nullptr) {  // cut meanwhile
      clean(inode, file, block, stop);
      continue;
    } else {
      if (!extent->real()) {
        allocate_delayed(inode, file, block, now, origin);
        extent = inode.data.at(block);
      }
      stop = std::min(stop, extent->end());
      if (extent->state == ExtentState::unwritten) kind = Stretch::Kind::unwritten;
      if (!inode.copies.empty()) {
        const std::size_t next = inode.copies.find(block);
        if (next != inode.copies.size()) stop = std::min(stop, inode.copies[next].first);
      }
    }
    clean(inode, file, block, stop);
    const std::int64_t end_bytes =
        std::min(inode.size, static_cast<std::int64_t>(stop << block_bits_));
    inode.in_flight.push_back({{block, stop}, end_bytes, kind});
  }
  if (first == 0 && end >= size_end && !inode.dirty.empty())
    clean(inode, file, 0, kEndOfBlocks);  // pages beyond the end
  return !inode.in_flight.empty();
}

std::uint64_t Xfs::bytes_in_flight(FileId file) const {
  std::uint64_t blocks = 0;
  for (const Stretch& s : inodes_[file]->in_flight) blocks += s.blocks.length();
  return blocks << block_bits_;
}

// Next to the neighbour, or near the inode itself (xfs_bmap_adjacent).
Blocks Xfs::find_blocks(const Inode& inode, const ExtentList& fork, std::uint64_t first,
                        std::uint64_t length) {
  const std::uint32_t per_block = settings_.geometry.block_size / settings_.geometry.inode_size;
  std::uint64_t target = free_.group_start(inode.place.group) + inode.place.position / per_block;
  const std::size_t i = fork.find(first);
  if (i > 0 && fork[i - 1].real())
    target = fork[i - 1].block + (first - fork[i - 1].first);
  else if (i < fork.size() && fork[i].real() && fork[i].block > fork[i].first - first)
    target = fork[i].block - (fork[i].first - first);
  Blocks found = free_.allocate(target, length, true);
  if (found.length == 0) {  // the trace says that there was room: place it nowhere
    ++notes_.out_of_space;
    found = {settings_.geometry.block_count * 2, length};
  }
  return found;
}

// xfs_bmapi_convert_one_delalloc: the whole delayed extent becomes unwritten, in as many pieces as
// the allocator makes of it before the wanted block is there.
void Xfs::allocate_delayed(Inode& inode, FileId, std::uint64_t block, Time now,
                           const Origin& origin) {
  while (true) {
    const Extent* extent = inode.data.at(block);
    assert(extent != nullptr);
    if (extent->real()) return;
    const Extent delayed = *extent;
    Transaction transaction(*this, now, origin);
    const Blocks found = find_blocks(inode, inode.data, delayed.first, delayed.length);
    inode.data.erase(delayed.first, delayed.first + found.length);
    inode.data.insert({delayed.first, found.length, found.first, ExtentState::unwritten});
    settle_tree(inode);
    transaction.allocated(found.first);
    transaction.log(inode, part::core | part::data);
    transaction.commit();
  }
}

// xfs_end_io: what was unwritten is converted; what ends after the size on disk moves it.
void Xfs::complete_io(FileId file, Time now, const Origin& origin) {
  if (!known(file)) return;
  Inode& inode = *inodes_[file];
  std::vector<Stretch> ended;
  std::swap(ended, inode.in_flight);
  for (std::size_t i = 0; i < ended.size();) {
    Stretch whole = ended[i++];
    while (i < ended.size() && ended[i].kind == whole.kind &&
           ended[i].blocks.first == whole.blocks.end) {
      whole.blocks.end = ended[i].blocks.end;
      whole.end_bytes = ended[i].end_bytes;
      ++i;
    }
    if (whole.kind == Stretch::Kind::unwritten)
      convert(inode, file, whole.blocks.first, whole.blocks.end, whole.end_bytes, now, origin);
    if (whole.kind == Stretch::Kind::copied)
      end_copies(inode, file, whole.blocks.first, whole.blocks.end, now, origin);
    const std::int64_t size = std::min(whole.end_bytes, inode.size);
    if (size > inode.disk_size) set_disk_size(inode, file, size, now, origin);
  }
}

// xfs_iomap_write_unwritten: a transaction for each mapping of the range, which takes the size
// along.
void Xfs::convert(Inode& inode, FileId, std::uint64_t first, std::uint64_t end,
                  std::int64_t new_size, Time now, const Origin& origin) {
  for (std::uint64_t block = first; block < end;) {
    const Extent* extent = inode.data.at(block);
    if (extent == nullptr || !extent->real()) {  // cut meanwhile
      ++block;
      continue;
    }
    const std::uint64_t stop = std::min(end, extent->end());
    const bool was_unwritten = extent->state == ExtentState::unwritten;
    Transaction transaction(*this, now, origin);
    if (was_unwritten) inode.data.set_state(block, stop, ExtentState::written);
    const std::int64_t size = std::min(new_size, static_cast<std::int64_t>(stop << block_bits_));
    inode.disk_size = std::max(inode.disk_size, size);
    const bool shrunk = settle_tree(inode);
    transaction.log(inode, part::core | (was_unwritten ? part::data : 0U));
    if (shrunk || (was_unwritten && settings_.geometry.rmapbt)) transaction.roll();
    transaction.commit();
    block = stop;
  }
}

void Xfs::set_disk_size(Inode& inode, FileId, std::int64_t size, Time now, const Origin& origin) {
  Transaction transaction(*this, now, origin);
  inode.disk_size = size;
  transaction.log(inode, part::core);
  transaction.commit();
}

Sequence Xfs::sync_sequence(FileId file, bool datasync) const {
  const Inode& inode = *inodes_[file];
  if (!datasync) return inode.commit_sequence;
  if (settings_.rules.datasync_sequence) return inode.datasync_sequence;
  return inode.core_changed ? inode.commit_sequence : 0;
}

void Xfs::synced(FileId file) {
  Inode& inode = *inodes_[file];
  inode.core_changed = false;
  if (inode.truncated) inode.eof_released = false;
  inode.truncated = false;
}

}  // namespace fcsim::model::xfs
