// One file as ext4 holds it in memory: identity, times, data map, and what journal and fast commit
// remember of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/common/block_set.h"
#include "model/common/operation.h"
#include "model/ext4/allocation/block_allocator.h"
#include "model/ext4/directory.h"
#include "model/ext4/extent_tree.h"
#include "model/fast_commit/fast_commit.h"

namespace fcsim::model::ext4 {

// Extended attributes by hash of their full name.
struct ExtendedAttribute {
  std::uint64_t name_hash = 0;
  std::uint64_t value_hash = 0;
  std::uint32_t name_length = 0;  // without the prefix that is stored as an index
  std::uint32_t value_length = 0;
  bool in_inode = true;
  bool value_known = true;
  bool acl = false;
  bool default_acl = false;
  bool mode_only = false;  // an ACL of owner, group and others alone, which a mode says as well
};

// In place of the hash of a name, for those that the model itself asks for.
namespace xattr_name {
inline constexpr std::uint64_t encryption = 1, access_acl = 2, default_acl = 3, label = 4;
}

// fs/ext4/crypto.c:ext4_set_context: the name "c", 40 bytes.
inline ExtendedAttribute encryption_context() {
  ExtendedAttribute context;
  context.name_hash = xattr_name::encryption;
  context.value_hash = 1;
  context.name_length = 1;
  context.value_length = 40;
  return context;
}

// A block of extended attributes. Inodes whose blocks would be alike share one
// (fs/ext4/xattr.c:ext4_xattr_block_cache_find).
struct XattrBlock {
  LogItem block{0, 0, ItemKind::xattr_block};
  std::uint64_t physical = 0;
  std::uint32_t references = 1;
  std::uint64_t contents = 0;  // hash of the attributes; 0: a value is not known, never alike
};

struct Inode {
  Inode(std::uint32_t extents_per_leaf, FileId file)
      : extents(extents_per_leaf, file), target_block{0, file, ItemKind::symlink_target} {}

  // ---- identity ----
  bool exists = false;
  FileType type = FileType::regular;
  std::uint32_t number = 0;
  std::uint32_t group = 0;
  std::uint32_t links = 0;
  LogItem* table = nullptr;  // its block of the inode table
  FileId parent = kNoFile;   // directory it was created in; of a directory: where ".." points

  // ---- sizes and times ----
  std::int64_t size = 0;          // i_size, bytes
  std::int64_t disk_size = 0;     // i_disksize
  std::int64_t written_size = 0;  // of the raw inode: what the last update of the table wrote
  Time atime = 0, mtime = 0, ctime = 0;
  bool ctime_queried = false;  // I_CTIME_QUERIED
  bool time_deferred = false;  // lazytime: times changed in memory only

  // ---- transactions ----
  fast_commit::TrackedInode tracked;  // holds i_sync_tid
  Tid datasync_tid = 0;               // i_datasync_tid

  // ---- data ----
  ExtentTree extents;
  BlockSet cached;   // blocks, holes too, that the extent status tree knows (snapshots)
  BlockSet pending;  // dirty blocks that writeback must allocate or convert
  std::vector<BlockRun> in_flight;  // written out as unwritten; converted when the I/O ends
  std::vector<allocation::Preallocation> windows;
  std::vector<LogItem> indirect;  // inodes without extents: their indirect blocks
  BlockSet journalled;            // data=journal: blocks of data in transaction journalled_tid
  Tid journalled_tid = 0;
  bool dirty_pages = false;        // some page is dirty
  std::uint32_t folio_blocks = 1;  // of the folios that the last write made in the page cache
  Time dirtied_when = 0;           // first dirtying since it was last clean; 0: clean
  bool inline_data = false;
  bool truncated_to_zero = false;  // EXT4_STATE_DA_ALLOC_CLOSE: the next close allocates

  // ---- state ----
  std::uint32_t opens = 0;
  std::uint32_t writers = 0;
  std::uint32_t mappings = 0;
  bool in_memory = true;   // false: evicted, read from disk at the next use
  bool vfs_dirty = false;  // I_DIRTY: not evictable
  bool on_orphan_list = false;
  bool journal_flag = false;  // chattr +j
  std::uint32_t uid = 0, gid = 0;
  bool encrypted = false;
  std::optional<std::uint64_t>
      capability;             // the name's hash of security.capability, where it has one
  bool sync_flag = false;     // chattr +S
  bool dirsync_flag = false;  // chattr +D
  std::unique_ptr<Directory> directory;
  std::vector<ExtendedAttribute> attributes;
  std::shared_ptr<XattrBlock> xattr_block;
  std::uint64_t target_physical = 0;  // long symlink: its block
  LogItem target_block;

  [[nodiscard]] bool regular() const { return type == FileType::regular; }
  [[nodiscard]] bool is_directory() const { return type == FileType::directory; }
};

}  // namespace fcsim::model::ext4
