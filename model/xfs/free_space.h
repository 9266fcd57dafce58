// Free blocks of the allocation groups (AG), as far as contiguity decides what transactions do.
//
// Source: fs/xfs/libxfs/xfs_alloc.c of 6.18 (xfs_alloc_ag_vextent_near with a by-size tree of one
// leaf, xfs_alloc_compute_diff), and the places that recordings' manifests show.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace fcsim::model::xfs {

struct Blocks {
  std::uint64_t first = 0;
  std::uint64_t length = 0;  // 0: none found
};

class FreeSpace {
 public:
  // Everything is free but the first `reserved` blocks of each group and [log_first, log_end).
  FreeSpace(std::uint64_t block_count, std::uint32_t ag_count, std::uint64_t ag_blocks);

  void take(std::uint64_t first, std::uint64_t length);
  void give_back(std::uint64_t first, std::uint64_t length);
  // Up to `length` blocks, as close to `target` as can be; user data prefers the start of a free
  // stretch. Another group is tried where the target's has not enough in one piece.
  Blocks allocate(std::uint64_t target, std::uint64_t length, bool user_data);
  // Exactly [first, first + length), if it is free.
  bool allocate_exactly(std::uint64_t first, std::uint64_t length);
  // A stretch aligned within its group.
  Blocks allocate_aligned(std::uint32_t group, std::uint64_t length, std::uint64_t alignment);

  [[nodiscard]] std::uint32_t group_of(std::uint64_t block) const {
    return static_cast<std::uint32_t>(block / ag_blocks_);
  }
  [[nodiscard]] std::uint64_t group_start(std::uint32_t group) const { return group * ag_blocks_; }
  [[nodiscard]] std::uint64_t free_blocks() const { return free_count_; }

 private:
  using Stretches = std::map<std::uint64_t, std::uint64_t>;  // first -> length
  Blocks nearest(std::uint32_t group, std::uint64_t target, std::uint64_t length,
                 bool user_data) const;
  std::uint64_t longest(std::uint32_t group) const;

  std::uint64_t ag_blocks_;
  std::vector<Stretches> groups_;
  std::uint64_t free_count_ = 0;
};

}  // namespace fcsim::model::xfs
