// Calls that find no space. Blocks that a transaction has freed can be allocated only when it is on
// disk, so the kernel commits and tries again while there are any.
//
// Facts: fs/ext4/balloc.c:ext4_should_retry_alloc, ext4_has_free_clusters of 6.12, and the
// recordings of tests/calls (6.18).
#include <algorithm>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {
namespace {

constexpr std::uint32_t kMostRetries = 3;

// Blocks that only the conversion of extents may take (fs/ext4/super.c:ext4_set_resv_clusters).
std::int64_t blocks_kept_back(const Geometry& geometry) {
  if (!geometry.extents) return 0;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(geometry.block_count / 50, 4096));
}

}  // namespace

// Free blocks less those that delayed data will take. Blocks freed in a transaction under way
// count as free, and so do those set aside for files. The caller is taken to be root, who may use
// the blocks reserved for him.
std::int64_t FileSystem::claimable_blocks() const {
  std::int64_t blocks = blocks_.free_now() + blocks_.set_aside() - blocks_kept_back(geometry_);
  for (const DeferredFree& freed : deferred_frees_) blocks += freed.length;
  for (const Inode& inode : inodes_) {
    if (!inode.exists) continue;
    for (const auto& [logical, window] : inode.windows) blocks += window.length;
    for (const BlockRun& run : inode.pending.runs())
      for (std::uint64_t block = run.first; block < run.end;) {
        const ExtentTree::Lookup mapping = inode.extents.lookup(block);
        const std::uint64_t stop = std::min(std::max(mapping.end, block + 1), run.end);
        if (!mapping.mapped) blocks -= static_cast<std::int64_t>(stop - block);
        block = stop;
      }
  }
  return blocks;
}

// Whether a call that found no space tries again; commits before where that frees blocks. No handle
// is open.
bool FileSystem::retry_allocation(const Call& call, std::uint32_t& retries, std::uint32_t most) {
  if (!geometry_.has_journal || ++retries > most) return false;
  reclaim_freed();
  if (deferred_frees_.empty()) return claimable_blocks() > 0;
  commit_for_space(call.now, call.origin);
  return true;
}

bool FileSystem::retry_allocation(const Call& call, std::uint32_t& retries) {
  return retry_allocation(call, retries, kMostRetries);
}

void FileSystem::commit_for_space(Time now, const Origin& origin) {
  commit_on_the_way(now, origin, Cause::no_space);
  reclaim_freed();
}

std::int64_t FileSystem::blocks_there(const Inode& inode) const {
  std::int64_t there = blocks_.free_now() + blocks_.set_aside();
  for (const auto& [logical, window] : inode.windows) there += window.length;
  return there;
}

// Before a handle that allocates `blocks` for the file, which its call found: where they are not
// there yet, it found them after a commit.
void FileSystem::ensure_space(const Inode& inode, std::uint64_t blocks, Time now,
                              const Origin& origin) {
  const auto wanted = static_cast<std::int64_t>(blocks);
  if (deferred_frees_.empty() || blocks_.any_free(wanted)) return;
  reclaim_freed();
  if (deferred_frees_.empty() || blocks_there(inode) >= wanted) return;
  commit_for_space(now, origin);
}

// What of `length` blocks a mapping request gets: as long as its call succeeds, all that is there;
// one that fails halves its wish until it fits (fs/ext4/mballoc.c:ext4_mb_new_blocks). What is set
// aside for others is given up where it is missed (ext4_mb_discard_preallocations).
std::uint32_t FileSystem::room_for(const Inode& inode, std::uint32_t length, bool call_fails) {
  reclaim_freed();
  if (!call_fails && deferred_frees_.empty()) return length;
  std::int64_t wanted = length;
  if (call_fails)
    for (const std::int64_t claimable = claimable_blocks(); wanted > claimable && wanted > 0;)
      wanted >>= 1;
  if (blocks_.any_free(wanted)) return static_cast<std::uint32_t>(wanted);
  blocks_.give_up_set_aside();
  for (Inode& other : inodes_)
    if (&other != &inode) blocks_.discard(other.windows);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks_there(inode), 0, wanted));
}

void FileSystem::fail_without_space(const Call& call) {
  using enum OperationKind;
  switch (call.operation.kind) {
    case create:
    case mkdir:
    case symlink:
    case mknod:
    case tmpfile:
      fail_to_make(call);
      break;
    case write:
      fail_to_write(call);
      break;
    default:
      break;
  }
}

// An inode is made, finds no block for its contents or its name, and goes. Where there is no inode,
// no handle begins (fs/ext4/ialloc.c:__ext4_new_inode).
void FileSystem::fail_to_make(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  std::uint32_t retries = 0;
  do {
    if (!inode_numbers_.any_free()) continue;
    {
      Handle handle(*this, call.now, credits_.create, call.origin);
      new_inode(op.file, op.type, op.parent, op.name_hash, call, handle);
      Inode& inode = inodes_[op.file];
      inode.links = 0;
      if (inode.type == FileType::symlink)
        fast_commit_.mark(fast_commit::Reason::data_journalling,
                          configuration_.kernel.ineligible.special_block_map, call.origin);
      mark_inode_dirty(inode, op.file, call.origin);
      orphan_add(inode, op.file, call.origin);
    }
    evict_deleted(op.file, call);
  } while (retry_allocation(call, retries));
}

// A write whose page finds no room. What was written of it before that is an operation of its own.
void FileSystem::fail_to_write(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  strip_privileges(inode, call);
  update_write_times(inode, op.file, call.now, call.origin);
  const bool direct = (op.flags & operation_flag::direct) != 0;
  const bool allocates = direct || !configuration_.mount.delalloc;
  if (allocates) {
    const Handle handle(*this, call.now, credits_.inode, call.origin);
    orphan_add(inode, op.file, call.origin);
  }
  std::uint32_t retries = 0;
  do {
    if (allocates) const Handle handle(*this, call.now, credits_.one_extent, call.origin);
  } while (retry_allocation(call, retries));
  if (!allocates) return;
  const Handle handle(*this, call.now, credits_.inode, call.origin);
  orphan_remove(inode, op.file, call.origin);
}

}  // namespace fcsim::model::ext4
