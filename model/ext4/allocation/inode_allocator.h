// Inode numbers and the groups they lie in: which inode-table block and bitmap a new file touches.
//
// Facts: fs/ext4/ialloc.c (find_group_other, find_group_orlov) of 6.12, measured on 6.18.
#pragma once

#include <cstdint>
#include <vector>

#include "model/common/geometry.h"
#include "model/ext4/allocation/block_allocator.h"
#include "model/ext4/allocation/percpu_counter.h"

namespace fcsim::model::ext4::allocation {

class InodeAllocator {
 public:
  InodeAllocator(const Geometry& geometry, const BlockAllocator& blocks);

  // A number for a new file beside its parent, lowest free one of the group; 0 when none is left.
  std::uint32_t allocate_file(std::uint32_t parent_group);
  // ... for a new directory. `spread`: the parent is the root (or carries the TOPDIR flag).
  std::uint32_t allocate_directory(std::uint32_t parent_group, bool spread,
                                   std::uint64_t name_hash);
  void free(std::uint32_t inode, bool directory);
  [[nodiscard]] bool any_free() const;
  // Numbers in use before the trace.
  void occupy(std::uint32_t inode, bool directory);
  // As at mount: the lagging counters start from what is there.
  void count_exactly();

  [[nodiscard]] std::uint32_t group_of(std::uint32_t inode) const {
    return (inode - 1) / geometry_.inodes_per_group;
  }
  // Index of the inode-table block within the group.
  [[nodiscard]] std::uint32_t table_block_of(std::uint32_t inode) const {
    return (inode - 1) % geometry_.inodes_per_group / geometry_.inodes_per_block;
  }

 private:
  struct Group {
    std::vector<bool> used;         // empty until the first use
    std::uint32_t lowest_free = 0;  // nothing below it is free
    std::uint32_t free = 0;
    std::uint32_t directories = 0;
  };

  struct FlexTotals {
    std::int64_t free_inodes = 0, directories = 0;
  };

  std::uint32_t take(std::uint32_t group, bool directory);
  void count(std::uint32_t group, std::int64_t inodes, std::int64_t directories);
  [[nodiscard]] std::uint32_t first_in_flex(std::uint32_t flex) const;
  [[nodiscard]] std::uint32_t fallback_group(std::uint32_t parent_group) const;
  [[nodiscard]] std::uint32_t orlov_group(std::uint32_t parent_group, bool spread,
                                          std::uint64_t name_hash) const;
  [[nodiscard]] const FlexTotals& totals(std::uint32_t flex) const;

  static constexpr std::uint32_t kNone = 0xffffffffU;

  const Geometry& geometry_;
  const BlockAllocator& blocks_;
  std::vector<Group> groups_;
  std::vector<FlexTotals> flex_totals_;
  PercpuCounter free_seen_;
  PercpuCounter directories_seen_;
};

}  // namespace fcsim::model::ext4::allocation
