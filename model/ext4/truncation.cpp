// Changing a file's size, and giving blocks back (fs/ext4/inode.c:ext4_setattr, ext4_truncate).
#include <algorithm>
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

void FileSystem::truncate(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  if (!inode.regular()) return;
  read_in(inode);
  strip_privileges(inode, call);
  const std::int64_t old_size = inode.size;
  const bool shrinks = op.length < old_size;
  const auto last_block = [&](std::int64_t size) {
    return static_cast<std::uint32_t>(block_of(size > 0 ? size - 1 : 0));
  };
  if (op.length > max_inline_bytes() && inode.inline_data) leave_inline(inode, op.file, call);
  if (op.length != old_size) {
    const Handle handle(*this, call.now, credits_.set_size, call.origin);
    if (shrinks) {
      orphan_add(inode, op.file, call.origin);
    } else {
      change_ctime(inode, call.now);
      inode.mtime = inode.ctime;
    }
    if (inode.inline_data)
      fast_commit_.mark_once(fast_commit::Reason::extended_attributes, call.origin);
    else if (shrinks)
      fast_commit_.track_range(op.file, last_block(op.length), ExtentTree::kMaxBlock - 1);
    else
      fast_commit_.track_range(op.file, last_block(old_size), last_block(op.length));
    inode.disk_size = op.length;
    mark_inode_dirty(inode, op.file, call.origin);
    inode.size = op.length;
  }
  if (op.length <= old_size) {
    inode.pending.erase(blocks_for(op.length), ExtentTree::kEnd);
    if (inode.size == 0 && configuration_.mount.auto_da_alloc) inode.truncated_to_zero = true;
    Handle handle(*this, call.now, credits_.one_extent, call.origin);
    orphan_add(inode, op.file, call.origin);
    blocks_.discard(inode.windows);
    truncate_blocks(inode, op.file, call);
    handle.synchronous(is_synchronous(inode));
    orphan_remove(inode, op.file, call.origin);
    change_ctime(inode, call.now);
    inode.mtime = inode.ctime;
    mark_inode_dirty(inode, op.file, call.origin);
  }
  vfs_mark_dirty(inode, op.file, call.now, call.origin);
}

// Frees what lies beyond i_size; of a directory or long symlink, its own blocks.
void FileSystem::truncate_blocks(Inode& inode, FileId file, const Call& call) {
  if (inode.directory) {
    if (inode.size != 0) return;
    if (inode.directory->indexed())
      free_leaf(inode.directory->first_block(), inode.directory->first_physical());
    for (Directory::Leaf& leaf : inode.directory->leaves()) free_leaf(leaf.block, leaf.physical);
    return;
  }
  if (inode.type == FileType::symlink) {
    if (inode.target_physical == 0) return;
    free_leaf(inode.target_block, inode.target_physical);
    inode.target_physical = 0;
    // Five more updates and one range call than a short target's eviction makes.
    for (int i = 0; i < 5; ++i) mark_inode_dirty(inode, file, call.origin);
    fast_commit_.mark(fast_commit::Reason::data_journalling,
                      configuration_.kernel.ineligible.special_block_map, call.origin);
    return;
  }
  if (!inode.regular()) return;
  const std::uint64_t first = blocks_for(inode.size);
  inode.cached.erase(first, ExtentTree::kEnd);
  inode.pending.erase(first, ExtentTree::kEnd);
  free_blocks(inode, first, ExtentTree::kEnd);
  mark_inode_dirty(inode, file, call.origin);
}

void FileSystem::free_blocks(Inode& inode, std::uint64_t first, std::uint64_t end) {
  freed_.clear();
  inode.extents.remove(first, end, freed_, *this);
  for (const Extent& extent : freed_) {
    if (extent.physical >= geometry_.block_count) continue;
    note_allocation(inode, extent.physical, extent.length);
    free_at_commit(extent.physical, extent.length);
  }
  if (geometry_.extents || freed_.empty()) return;
  const std::uint64_t per_block = geometry_.block_size / 4;
  const std::uint64_t keep = first <= 12 ? 0 : (first - 12 + per_block - 1) / per_block;
  while (inode.indirect.size() > keep) {
    free_leaf(inode.indirect.back(), 0);
    inode.indirect.pop_back();
  }
}

}  // namespace fcsim::model::ext4
