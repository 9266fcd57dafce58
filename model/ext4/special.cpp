// Symbolic links, fifos, sockets and devices. Fast commits cannot log their inodes: each update of
// one marks the transaction (fs/ext4/fast_commit.c:ext4_fc_track_inode).
#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {
namespace {

constexpr std::int64_t kFastTargetBytes = 59;  // a longer target takes a block

}  // namespace

void FileSystem::make_node(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  Handle handle(*this, call.now, credits_.create, call.origin);
  new_inode(op.file, op.type, op.parent, op.name_hash, call, handle);
  add_entry(op.parent, op.name_hash, op.name_length, call, op.file);
  mark_inode_dirty(inodes_[op.file], op.file, call.origin);
  fast_commit_.track_dentry(fast_commit::DentryKind::create, op.file, op.name_length);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

// Three updates of the inode for a short target, two of them in new_inode(); a long one adds its
// block's mapping and two more.
void FileSystem::make_symlink(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  Handle handle(*this, call.now, credits_.create, call.origin);
  new_inode(op.file, FileType::symlink, op.parent, op.name_hash, call, handle);
  Inode& inode = inodes_[op.file];
  if (op.length > kFastTargetBytes) {
    inode.target_physical = allocate_leaf(blocks_.inode_goal(inode.group, false));
    dirty_block(inode.target_block);
    fast_commit_.mark(fast_commit::Reason::data_journalling,
                      configuration_.kernel.ineligible.special_block_map, call.origin);
    mark_inode_dirty(inode, op.file, call.origin);
    mark_inode_dirty(inode, op.file, call.origin);
  }
  inode.size = inode.disk_size = op.length;
  add_entry(op.parent, op.name_hash, op.name_length, call, op.file);
  mark_inode_dirty(inode, op.file, call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

}  // namespace fcsim::model::ext4
