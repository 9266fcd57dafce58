// Inodes in chunks of 64: which creation needs a new chunk, which removal gives one back.
//
// Source: fs/xfs/libxfs/xfs_ialloc.c of 6.18 (xfs_dialloc, xfs_dialloc_ag_finobt_near,
// xfs_difree_inobt). Numbers are group * 2^32 + position here, not the kernel's packed ones.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace fcsim::model::xfs {

inline constexpr std::uint32_t kChunkInodes = 64;

struct InodePlace {
  std::uint32_t group = 0;
  std::uint32_t position = 0;  // in the group, from its first block on
};

class InodeChunks {
 public:
  explicit InodeChunks(std::uint32_t ag_count) : groups_(ag_count) {}

  // An inode that exists.
  void occupy(InodePlace place);
  [[nodiscard]] bool has_free(std::uint32_t group) const;
  void add_chunk(std::uint32_t group, std::uint32_t first);
  // A free inode near `near`, an inode of the same group; has_free() must hold.
  InodePlace allocate(std::uint32_t group, std::uint32_t near);
  // Whether the chunk is without inodes now; it is gone then.
  bool free(InodePlace place);
  // Where the newest chunk of the group ends; 0: it has none.
  [[nodiscard]] std::uint32_t newest_end(std::uint32_t group) const {
    return groups_[group].newest_end;
  }
  [[nodiscard]] std::uint32_t group_count() const {
    return static_cast<std::uint32_t>(groups_.size());
  }

 private:
  struct Group {
    std::map<std::uint32_t, std::uint64_t> used;  // chunk's first position -> bit mask
    std::map<std::uint32_t, std::uint64_t> open;  // the same, of chunks with free inodes
    std::uint32_t newest_end = 0;
  };
  void store(Group& group, std::uint32_t chunk, std::uint64_t mask);
  std::vector<Group> groups_;
};

}  // namespace fcsim::model::xfs
