// One inode of XFS in memory, and what the log knows of it.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "model/common/block_set.h"
#include "model/common/operation.h"
#include "model/xfs/extents.h"
#include "model/xfs/inode_chunks.h"
#include "model/xfs_log/log.h"

namespace fcsim::model::xfs {

// Parts of an inode that a transaction logs (fs/xfs/libxfs/xfs_log_format.h: XFS_ILOG_*).
namespace part {
inline constexpr std::uint32_t times = 1;       // TIMESTAMP
inline constexpr std::uint32_t core = 2;        // CORE
inline constexpr std::uint32_t data = 4;        // DEXT, DDATA
inline constexpr std::uint32_t attributes = 8;  // AEXT, ADATA
}  // namespace part

// A stretch of a file that is being written back, of one kind.
struct Stretch {
  enum class Kind : std::uint8_t { overwrite, unwritten, copied };
  BlockRun blocks;
  std::int64_t end_bytes = 0;  // where its data end
  Kind kind = Kind::overwrite;
};

struct Attribute {
  std::uint64_t name_hash = 0;
  std::uint32_t bytes = 0;  // of name and value
};

struct Inode {
  FileId file = kNoFile;  // as long as it has a name or a user
  FileType type = FileType::regular;
  InodePlace place;
  FileId parent = kNoFile;
  std::uint32_t links = 0;
  std::uint32_t writers = 0;
  std::int64_t size = 0;
  std::int64_t disk_size = 0;

  // ---- times ----
  Time atime = 0;
  Time mtime = 0;
  Time ctime = 0;
  bool ctime_queried = false;
  bool version_queried = false;  // the next change increments i_version
  bool time_deferred = false;    // lazytime: an access time that no transaction took along

  // ---- data ----
  ExtentList data;
  ExtentList copies;  // the COW fork: where shared blocks' new contents go
  bool tree = false;  // the data fork's extents do not fit into the inode
  BlockSet dirty;
  Time dirty_since = 0;  // of the first page that became dirty
  std::vector<Stretch> in_flight;
  bool preallocated = false;     // XFS_DIFLAG_PREALLOC: somebody asked for blocks
  bool truncated = false;        // XFS_ITRUNCATED: was cut since the last close or sync
  bool eof_released = false;     // XFS_EOFBLOCKS_RELEASED
  bool reflink = false;          // XFS_DIFLAG2_REFLINK
  std::uint32_t link_bytes = 0;  // a symbolic link's target

  // ---- attributes ----
  bool attribute_fork = false;
  bool attribute_block = false;  // they do not fit into the inode
  std::vector<Attribute> attributes;

  // ---- directories ----
  std::uint32_t entries = 0;
  std::int64_t entry_bytes = 0;  // names and 8 bytes each: the short form less its header
  std::int64_t data_bytes = 0;   // of the entries in directory blocks
  bool block_form = false;

  // ---- log ----
  xfs_log::Sequence commit_sequence = 0;
  xfs_log::Sequence datasync_sequence = 0;
  bool core_changed = false;  // more than timestamps since the last sync of the file
  xfs_log::Item item;
  std::uint32_t logged = 0;  // parts logged since the inode was last written back

  [[nodiscard]] bool regular() const { return type == FileType::regular; }
  [[nodiscard]] bool directory() const { return type == FileType::directory; }
  // The kernel's i_delayed_blks: the COW fork's blocks count until they are mapped into the file
  // (fs/xfs/libxfs/xfs_bmap.c:xfs_bmap_alloc_account).
  [[nodiscard]] std::uint64_t delayed_blocks() const {
    std::uint64_t blocks = data.delayed_blocks();
    for (const Extent& e : copies.all()) blocks += e.length;
    return blocks;
  }
};

}  // namespace fcsim::model::xfs
