// Names: create, mkdir, link, unlink, rmdir, rename. What they dirty and what they log
// (fs/ext4/namei.c, fs/ext4/ialloc.c).
#include <algorithm>
#include <cassert>

#include "model/ext4/filesystem.h"

namespace fcsim::model::ext4 {

// ext4_new_inode: a number, its bitmap and table block; both tids are the running transaction's.
// Flags of the directory are inherited (fs/ext4/ialloc.c, EXT4_FL_INHERITED and ext4_mask_flags).
void FileSystem::new_inode(FileId file, FileType type, FileId parent, std::uint64_t name_hash,
                           const Call& call, Handle& handle) {
  const Inode& directory = inodes_[parent];
  const std::uint32_t number =
      type == FileType::directory
          ? inode_numbers_.allocate_directory(directory.group, parent == kRootDirectory, name_hash)
          : inode_numbers_.allocate_file(directory.group);
  if (number == 0) ++notes_.out_of_space;
  Inode& inode = make_inode(file, type, number, parent, 0);
  if (changes_ != nullptr) changes_->on_new_file(file, call.operation);
  inode.atime = inode.mtime = inode.ctime = stamp(inode, call.now);
  inode.encrypted = directory.encrypted && type != FileType::device;
  inode.journal_flag = directory.journal_flag && type != FileType::symlink;
  inode.sync_flag = directory.sync_flag && (inode.regular() || inode.is_directory());
  inode.dirsync_flag = directory.dirsync_flag && inode.is_directory();
  inode.inline_data = geometry_.inline_data && type == FileType::regular;
  handle.synchronous(is_dirsync(inode));
  if (!geometry_.has_journal) return;
  dirty_inode_bitmap(inode.group);
  if (blocks_.untouched(inode.group)) {  // its block bitmap is initialised with it
    blocks_.touch(inode.group);
    dirty_bitmap(inode.group);
  }
  update_tids(inode, true);
  inherit_acl(file, directory, call, handle);
  inherit_label(file, directory, call, handle);
  if (inode.encrypted) store_xattr(inode, file, encryption_context(), call, handle);
  mark_inode_dirty(inode, file, call.origin);
  const bool maps_blocks = inode.regular() || inode.is_directory() || type == FileType::symlink;
  if (maps_blocks && geometry_.extents)  // ext4_ext_tree_init updates it once more
    mark_inode_dirty(inode, file, call.origin);
  update_tids(inode, true);
}

// A default ACL of the directory becomes the default ACL of a subdirectory and, masked by the mode
// of creation, the access ACL; one that says no more than a mode only changes the mode
// (fs/posix_acl.c:posix_acl_create).
void FileSystem::inherit_acl(FileId file, const Inode& parent, const Call& call, Handle& handle) {
  Inode& inode = inodes_[file];
  if (inode.type == FileType::symlink) return;
  const ExtendedAttribute* const inherited = parent.attributes.find(xattr_name::default_acl);
  if (inherited == nullptr) return;
  ExtendedAttribute copy = *inherited;
  if (inode.is_directory()) store_xattr(inode, file, copy, call, handle);
  if (copy.mode_only) return;
  copy.default_acl = false;
  copy.name_hash = xattr_name::access_acl;
  copy.value_known = false;  // the mask is applied
  store_xattr(inode, file, copy, call, handle);
}

// With SELinux every new file gets a label, in the same way as an ACL (fs/ext4/xattr_security.c,
// ext4_init_security). That the directory has one shows that a policy is loaded.
void FileSystem::inherit_label(FileId file, const Inode& parent, const Call& call, Handle& handle) {
  const ExtendedAttribute* const inherited = parent.attributes.find(xattr_name::label);
  if (inherited == nullptr) return;
  const ExtendedAttribute copy = *inherited;
  store_xattr(inodes_[file], file, copy, call, handle);
}

namespace {

// A file that appeared as something else and has names in it now was a directory all along.
void be_directory(Inode& inode, const Geometry& geometry, bool indexed) {
  if (inode.directory) return;
  inode.type = FileType::directory;
  inode.directory = std::make_unique<Directory>(geometry, indexed, inode.tracked.file);
  inode.directory->add_first_block(0);
}

}  // namespace

void FileSystem::add_entry(FileId parent, std::uint64_t name_hash, std::uint32_t name_length,
                           const Call& call, FileId file) {
  if (changes_ != nullptr) changes_->on_name(parent, name_hash, file);
  Inode& directory = inodes_[parent];
  be_directory(directory, geometry_, configuration_.filesystem.has("dir_index"));
  std::uint64_t fresh[2] = {0, 0};
  InlineEntries* const inline_entries = directory.directory->inline_entries();
  if (inline_entries != nullptr) inline_entries->offer(in_inode_xattr_room(directory));
  const Directory::Growth growth = directory.directory->growth_for(name_hash, name_length);
  const int blocks = growth == Directory::Growth::none    ? 0
                     : growth == Directory::Growth::index ? 2
                                                          : 1;
  for (int i = 0; i < blocks; ++i) {
    fresh[i] = allocate_leaf(inline_entries != nullptr ? blocks_.inode_goal(directory.group, false)
                                                       : directory.directory->first_physical());
    directory.size = (inline_entries != nullptr ? 0 : directory.size) + geometry_.block_size;
  }
  directory.directory->insert(name_hash, name_length, fresh, journal_.get());
  if (const InlineEntries* const names = directory.directory->inline_entries())
    directory.size = names->size();
  directory.disk_size = directory.size;
  change_ctime(directory, call.now);
  directory.mtime = directory.ctime;
  mark_inode_dirty(directory, parent, call.origin);
}

void FileSystem::remove_entry(FileId parent, std::uint64_t name_hash, const Call& call) {
  if (changes_ != nullptr) changes_->on_name(parent, name_hash, kNoFile);
  Inode& directory = inodes_[parent];
  be_directory(directory, geometry_, configuration_.filesystem.has("dir_index"));
  directory.directory->remove(name_hash, *journal_);
  change_ctime(directory, call.now);
  directory.mtime = directory.ctime;
  mark_inode_dirty(directory, parent, call.origin);
}

namespace {

// Names in an encrypted directory cannot be logged.
void track_name(fast_commit::FastCommit& log, fast_commit::DentryKind kind, FileId file,
                std::uint32_t length, const Inode& directory, const Origin& origin) {
  if (directory.encrypted)
    log.mark_once(fast_commit::Reason::encrypted_filename, origin);
  else
    log.track_dentry(kind, file, length);
}

}  // namespace

void FileSystem::create(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  Handle handle(*this, call.now, credits_.create, call.origin);
  new_inode(op.file, FileType::regular, op.parent, op.name_hash, call, handle);
  add_entry(op.parent, op.name_hash, op.name_length, call, op.file);
  mark_inode_dirty(inodes_[op.file], op.file, call.origin);
  track_name(fast_commit_, fast_commit::DentryKind::create, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

void FileSystem::make_tmpfile(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  Handle handle(*this, call.now, credits_.tmpfile, call.origin);
  new_inode(op.file, FileType::regular, op.parent, 0, call, handle);
  inodes_[op.file].links = 0;
  orphan_add(inodes_[op.file], op.file, call.origin);
  mark_inode_dirty(inodes_[op.file], op.file, call.origin);
}

void FileSystem::make_directory(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || known(op.file)) return;
  ensure_space(inodes_[op.parent], 1, call.now, call.origin);
  Handle handle(*this, call.now, credits_.create, call.origin);
  new_inode(op.file, FileType::directory, op.parent, op.name_hash, call, handle);
  Inode& inode = inodes_[op.file];
  inode.links = 2;
  if (geometry_.inline_data) {
    inode.directory->be_inline();
    inode.size = inode.directory->inline_entries()->size();
  } else {
    inode.directory->add_first_block(allocate_leaf(blocks_.inode_goal(inode.group, false)));
    dirty_block(inode.directory->first_block());
    inode.size = geometry_.block_size;
  }
  inode.disk_size = inode.size;
  mark_inode_dirty(inode, op.file, call.origin);
  add_entry(op.parent, op.name_hash, op.name_length, call, op.file);
  ++inodes_[op.parent].links;
  track_name(fast_commit_, fast_commit::DentryKind::create, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

void FileSystem::link(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || !known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  Handle handle(*this, call.now, credits_.link, call.origin);
  change_ctime(inode, call.now);
  ++inode.links;
  add_entry(op.parent, op.name_hash, op.name_length, call, op.file);
  track_name(fast_commit_, fast_commit::DentryKind::link, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  mark_inode_dirty(inode, op.file, call.origin);
  if (inode.links == 1) orphan_remove(inode, op.file, call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

void FileSystem::unlink(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || !known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  Handle handle(*this, call.now, credits_.unlink, call.origin);
  remove_entry(op.parent, op.name_hash, call);
  if (inode.links != 0) --inode.links;
  if (inode.links == 0) orphan_add(inode, op.file, call.origin);
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, op.file, call.origin);
  track_name(fast_commit_, fast_commit::DentryKind::unlink, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

void FileSystem::remove_directory(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || !known(op.file)) return;
  Inode& inode = inodes_[op.file];
  Handle handle(*this, call.now, credits_.unlink, call.origin);
  remove_entry(op.parent, op.name_hash, call);
  inode.links = 0;
  orphan_add(inode, op.file, call.origin);
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, op.file, call.origin);
  if (inodes_[op.parent].links > 2) --inodes_[op.parent].links;
  track_name(fast_commit_, fast_commit::DentryKind::unlink, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]));
}

// Where ".." points: in the first block, or in the inode.
void FileSystem::dirty_dotdot(Inode& directory, FileId file, const Call& call) {
  if (directory.directory->inline_entries() != nullptr)
    mark_inode_dirty(directory, file, call.origin);
  else
    dirty_block(directory.directory->first_block());
}

void FileSystem::rename(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || !known(op.parent2) || !known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  const bool replaces = op.file2 != kNoFile && known(op.file2);
  // auto_da_alloc: what replaces a file has its delayed blocks allocated first.
  if (replaces && configuration_.mount.auto_da_alloc)
    flush_asynchronously(op.file, call.now, call.origin);
  Handle handle(*this, call.now, credits_.rename, call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]) || is_dirsync(inodes_[op.parent2]));
  const bool whiteout = (op.flags & operation_flag::whiteout) != 0 && op.value < kNoFile;
  const auto whiteout_file = static_cast<FileId>(op.value);
  if (whiteout) {
    new_inode(whiteout_file, FileType::device, op.parent, op.name_hash, call, handle);
    mark_inode_dirty(inodes_[whiteout_file], whiteout_file, call.origin);
  }
  if (replaces) {  // the entry is pointed at the moved file, in place
    remove_entry(op.parent2, op.name2_hash, call);
  }
  add_entry(op.parent2, op.name2_hash, op.name2_length, call, op.file);
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, op.file, call.origin);
  remove_entry(op.parent, op.name_hash, call);
  if (whiteout) add_entry(op.parent, op.name_hash, op.name_length, call, whiteout_file);
  if (inode.is_directory()) {
    if (op.parent != op.parent2) {
      dirty_dotdot(inode, op.file, call);
      ++inodes_[op.parent2].links;
      if (inodes_[op.parent].links > 2) --inodes_[op.parent].links;
      inode.parent = op.parent2;
    } else if (configuration_.kernel.names.rename_dirties_dotdot) {
      dirty_dotdot(inode, op.file, call);
    }
  }
  if (replaces) {
    Inode& replaced = inodes_[op.file2];
    read_in(replaced);
    if (replaced.is_directory())
      replaced.links = 0;
    else if (replaced.links != 0)
      --replaced.links;
    change_ctime(replaced, call.now);
    mark_inode_dirty(replaced, op.file2, call.origin);
    if (replaced.links == 0) orphan_add(replaced, op.file2, call.origin);
  }
  if (inode.is_directory()) {
    fast_commit_.mark(fast_commit::Reason::directory_rename, 1, call.origin);
    return;
  }
  if (replaces)
    track_name(fast_commit_, fast_commit::DentryKind::unlink, op.file2, op.name2_length,
               inodes_[op.parent2], call.origin);
  track_name(fast_commit_, fast_commit::DentryKind::link, op.file, op.name2_length,
             inodes_[op.parent2], call.origin);
  track_name(fast_commit_, fast_commit::DentryKind::unlink, op.file, op.name_length,
             inodes_[op.parent], call.origin);
  if (whiteout)
    track_name(fast_commit_, fast_commit::DentryKind::create, whiteout_file, op.name_length,
               inodes_[op.parent], call.origin);
}

void FileSystem::exchange(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.parent) || !known(op.parent2) || !known(op.file) || !known(op.file2)) return;
  Handle handle(*this, call.now, credits_.rename, call.origin);
  handle.synchronous(is_dirsync(inodes_[op.parent]) || is_dirsync(inodes_[op.parent2]));
  const auto point_elsewhere = [&](FileId parent, std::uint64_t hash, std::uint32_t length,
                                   FileId file) {
    remove_entry(parent, hash, call);
    add_entry(parent, hash, length, call, file);
  };
  point_elsewhere(op.parent2, op.name2_hash, op.name2_length, op.file);
  point_elsewhere(op.parent, op.name_hash, op.name_length, op.file2);
  for (const FileId file : {op.file, op.file2}) {
    Inode& inode = inodes_[file];
    read_in(inode);
    change_ctime(inode, call.now);
    mark_inode_dirty(inode, file, call.origin);
    if (inode.is_directory() && op.parent != op.parent2) dirty_dotdot(inode, file, call);
  }
  fast_commit_.mark(fast_commit::Reason::cross_rename, 1, call.origin);
}

}  // namespace fcsim::model::ext4
