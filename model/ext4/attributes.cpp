// chmod, chown, utimes, inode flags and the ioctls that swap or move a file's blocks
// (fs/ext4/inode.c:ext4_setattr, fs/ext4/ioctl.c).
#include <algorithm>

#include <boost/container/static_vector.hpp>

#include "model/ext4/filesystem.h"
#include "model/ext4/inode_flags.h"

namespace fcsim::model::ext4 {
namespace {}  // namespace

void FileSystem::set_attributes(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  const auto change = static_cast<AttributeChange>(op.value);
  const bool other_owner =
      (op.offset != -1 && op.offset != inode.uid) || (op.length != -1 && op.length != inode.gid);
  if (change == AttributeChange::owner && other_owner) {  // quota comes first, in its own handle
    if (op.offset != -1) inode.uid = static_cast<std::uint32_t>(op.offset);
    if (op.length != -1) inode.gid = static_cast<std::uint32_t>(op.length);
    const Handle handle(*this, call.now, credits_.set_size, call.origin);
    mark_inode_dirty(inode, op.file, call.origin);
  }
  change_ctime(inode, call.now);
  if (change == AttributeChange::times || change == AttributeChange::times_now) {
    const Time given = change == AttributeChange::times_now ? inode.ctime : 1;
    inode.atime = inode.mtime =
        given;  // what times were given does not matter, only that they differ
  }
  vfs_mark_dirty(inode, op.file, call.now, call.origin);
  if (change != AttributeChange::mode) return;
  const ExtendedAttribute* const access = inode.attributes.find(xattr_name::access_acl);
  if (access == nullptr) return;
  Handle handle(*this, call.now, credits_.xattr, call.origin);  // the ACL's mask follows
  ExtendedAttribute changed = *access;
  changed.value_known = false;
  inode.attributes.put(changed);
  note_xattr_change(inode, op.file, call, handle);
}

void FileSystem::set_flags(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  read_in(inode);
  {
    Handle handle(*this, call.now, 1, call.origin);
    handle.synchronous(is_synchronous(inode));  // as it was before
    change_ctime(inode, call.now);
    mark_inode_dirty(inode, op.file, call.origin);
  }
  if (op.value == ~std::uint64_t{0}) return;
  inode.sync_flag = (op.value & kSynchronousFlag) != 0;
  inode.dirsync_flag = (op.value & kDirsyncFlag) != 0;
  const bool journal = (op.value & kJournalDataFlag) != 0;
  if (journal != inode.journal_flag) {
    inode.journal_flag = journal;
    if (inode.regular()) {
      if (!journal) commit_on_the_way(call.now, call.origin);  // journalled data goes home first
      Handle handle(*this, call.now, 1, call.origin);
      fast_commit_.mark(fast_commit::Reason::journal_flag, 1, call.origin);
      mark_inode_dirty(inode, op.file, call.origin);
      handle.synchronous(true);
    }
  }
}

void FileSystem::swap_boot(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  Inode& inode = inodes_[op.file];
  const std::uint64_t all = ExtentTree::kEnd;
  if (start_writeback(op.file, 0, all, call.now, call.origin)) complete_io(op.file, call.now);
  const Handle handle(*this, call.now, 2 * credits_.one_extent, call.origin);
  fast_commit_.mark(fast_commit::Reason::swap_boot, 1, call.origin);
  change_ctime(inode, call.now);
  mark_inode_dirty(inode, op.file, call.origin);
  if (!inode_tables_[0].empty())
    dirty_block(inode_tables_[0].front());  // of inode 5, the boot loader's
  update_tids(inode, true);
}

void FileSystem::move_extents(const Call& call) {
  const Operation& op = call.operation;
  if (!known(op.file)) return;
  // The donor and the length are inside a structure that strace does not decode: where they are not
  // known, the whole file is taken as moved and the donor left alone.
  boost::container::static_vector<FileId, 2> files{op.file};
  if (known(op.file2)) files.push_back(op.file2);
  for (const FileId file : files) {
    const std::uint64_t all = ExtentTree::kEnd;
    if (start_writeback(file, 0, all, call.now, call.origin)) complete_io(file, call.now);
  }
  const std::uint64_t pages = blocks_for(op.length > 0 ? op.length : inodes_[op.file].size);
  const std::uint64_t folio = configuration_.kernel.delayed_allocation.large_folios
                                  ? std::max(1U, inodes_[op.file].folio_blocks)
                                  : 1;
  for (std::uint64_t page = 0; page < pages; ++page) {
    if (page % folio != 0) move_page_again(call);
    const Handle handle(*this, call.now, 2 * credits_.one_extent, call.origin);
    if (configuration_.kernel.ineligible.move_extents)
      fast_commit_.mark(fast_commit::Reason::move_extents, 1, call.origin);
    for (const FileId file : files) {
      mark_inode_dirty(inodes_[file], file, call.origin);
      update_tids(inodes_[file], true);
    }
  }
}

// A further page of a folio cannot be released while the transaction that moved the page before it
// runs: the attempt stops, and its retry commits (fs/ext4/move_extent.c; measured: pages less
// folios extra commits).
void FileSystem::move_page_again(const Call& call) {
  { const Handle attempt(*this, call.now, 2 * credits_.one_extent, call.origin); }
  commit_on_the_way(call.now, call.origin);
}

}  // namespace fcsim::model::ext4
