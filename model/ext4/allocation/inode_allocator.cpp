#include "model/ext4/allocation/inode_allocator.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model::ext4::allocation {

InodeAllocator::InodeAllocator(const Geometry& geometry, const BlockAllocator& blocks)
    : geometry_(geometry),
      blocks_(blocks),
      groups_(geometry.group_count),
      free_seen_(0, blocks.smp()),
      directories_seen_(0, blocks.smp()) {
  flex_totals_.resize((geometry.group_count + geometry.flex_group_size - 1) /
                      geometry.flex_group_size);
  for (std::uint32_t group = 0; group < geometry.group_count; ++group) {
    groups_[group].free = geometry.inodes_per_group;
    count(group, geometry.inodes_per_group, 0);
  }
  for (std::uint32_t inode = 1; inode < geometry.first_inode; ++inode) occupy(inode, inode == 2);
  occupy(geometry.first_inode, true);  // lost+found
  if (geometry.orphan_file) occupy(geometry.first_inode + 1, false);
  count_exactly();
}

void InodeAllocator::count_exactly() {
  std::int64_t free = 0;
  std::int64_t directories = 0;
  for (const Group& group : groups_) {
    free += group.free;
    directories += group.directories;
  }
  free_seen_ = PercpuCounter(free, blocks_.smp());
  directories_seen_ = PercpuCounter(directories, blocks_.smp());
}

void InodeAllocator::occupy(std::uint32_t inode, bool directory) {
  const std::uint32_t number = group_of(inode);
  if (inode == 0 || number >= groups_.size()) return;
  Group& group = groups_[number];
  if (group.used.empty()) group.used.resize(geometry_.inodes_per_group);
  const std::uint32_t index = (inode - 1) % geometry_.inodes_per_group;
  if (group.used[index]) return;
  group.used[index] = true;
  --group.free;
  group.directories += directory ? 1 : 0;
  count(number, -1, directory ? 1 : 0);
  free_seen_.add(-1);
  if (directory) directories_seen_.add(1);
}

std::uint32_t InodeAllocator::take(std::uint32_t number, bool directory) {
  Group& group = groups_[number];
  assert(group.free != 0);
  if (group.used.empty()) group.used.resize(geometry_.inodes_per_group);
  std::uint32_t index = group.lowest_free;
  while (group.used[index]) ++index;
  group.used[index] = true;
  group.lowest_free = index + 1;
  --group.free;
  group.directories += directory ? 1 : 0;
  count(number, -1, directory ? 1 : 0);
  free_seen_.add(-1);
  if (directory) directories_seen_.add(1);
  return number * geometry_.inodes_per_group + index + 1;
}

void InodeAllocator::free(std::uint32_t inode, bool directory) {
  const std::uint32_t number = group_of(inode);
  if (inode == 0 || number >= groups_.size()) return;
  Group& group = groups_[number];
  const std::uint32_t index = (inode - 1) % geometry_.inodes_per_group;
  if (group.used.empty() || !group.used[index]) return;
  group.used[index] = false;
  group.lowest_free = std::min(group.lowest_free, index);
  ++group.free;
  const std::uint32_t gone = directory && group.directories != 0 ? 1 : 0;
  group.directories -= gone;
  count(number, 1, -std::int64_t{gone});
  free_seen_.add(1);
  if (directory) directories_seen_.add(-1);
}

// A file goes to its parent's flex group, the first group there with a free inode.
std::uint32_t InodeAllocator::allocate_file(std::uint32_t parent_group) {
  std::uint32_t group = first_in_flex(parent_group / geometry_.flex_group_size);
  for (std::uint32_t i = 0; group == kNone && i < geometry_.group_count; ++i) {
    const std::uint32_t next = (parent_group + i) % geometry_.group_count;
    if (groups_[next].free != 0) group = next;
  }
  return group == kNone ? 0 : take(group, false);
}

std::uint32_t InodeAllocator::allocate_directory(std::uint32_t parent_group, bool spread,
                                                 std::uint64_t name_hash) {
  const std::uint32_t group = orlov_group(parent_group, spread, name_hash);
  return group == kNone ? 0 : take(group, true);
}

std::uint32_t InodeAllocator::first_in_flex(std::uint32_t flex) const {
  const std::uint32_t first = flex * geometry_.flex_group_size;
  const std::uint32_t end = std::min(first + geometry_.flex_group_size, geometry_.group_count);
  for (std::uint32_t group = first; group < end; ++group)
    if (groups_[group].free != 0) return group;
  return kNone;
}

const InodeAllocator::FlexTotals& InodeAllocator::totals(std::uint32_t flex) const {
  return flex_totals_[flex];
}

void InodeAllocator::count(std::uint32_t group, std::int64_t inodes, std::int64_t directories) {
  FlexTotals& sum = flex_totals_[group / geometry_.flex_group_size];
  sum.free_inodes += inodes;
  sum.directories += directories;
}

// find_group_orlov. The averages come from lagging per-CPU counters, so on a file system of one
// flex group the main test fails after the first directory and the fallback spreads them.
std::uint32_t InodeAllocator::orlov_group(std::uint32_t parent_group, bool spread,
                                          std::uint64_t name_hash) const {
  const std::uint32_t flex_groups =
      (geometry_.group_count + geometry_.flex_group_size - 1) / geometry_.flex_group_size;
  const std::int64_t average_inodes = free_seen_.read() / flex_groups;
  const auto enough_blocks = [&](std::uint32_t flex, std::int64_t spare) {
    return blocks_.near_average(flex, flex_groups, spare);
  };
  std::uint32_t chosen = kNone;
  if (spread) {
    const auto start = static_cast<std::uint32_t>(name_hash % flex_groups);
    std::int64_t fewest = geometry_.inodes_per_group;
    for (std::uint32_t i = 0; i < flex_groups; ++i) {
      const std::uint32_t flex = (start + i) % flex_groups;
      const FlexTotals& sum = totals(flex);
      if (sum.free_inodes == 0 || sum.directories >= fewest) continue;
      if (sum.free_inodes < average_inodes || !enough_blocks(flex, 0)) continue;
      chosen = flex;
      fewest = sum.directories;
    }
  } else {
    const std::int64_t spare_inodes =
        std::int64_t{geometry_.inodes_per_group} * geometry_.flex_group_size / 4;
    const std::int64_t spare_blocks =
        std::int64_t{geometry_.blocks_per_group} * geometry_.flex_group_size / 4;
    const std::int64_t most_directories =
        directories_seen_.read() / flex_groups +
        std::int64_t{geometry_.inodes_per_group} * geometry_.flex_group_size / 16;
    const std::uint32_t start = parent_group / geometry_.flex_group_size;
    for (std::uint32_t i = 0; chosen == kNone && i < flex_groups; ++i) {
      const std::uint32_t flex = (start + i) % flex_groups;
      const FlexTotals& sum = totals(flex);
      if (sum.directories < most_directories &&
          sum.free_inodes >= std::max<std::int64_t>(1, average_inodes - spare_inodes) &&
          enough_blocks(flex, spare_blocks))
        chosen = flex;
    }
  }
  return chosen == kNone ? fallback_group(parent_group) : first_in_flex(chosen);
}

std::uint32_t InodeAllocator::fallback_group(std::uint32_t parent_group) const {
  for (std::int64_t average = free_seen_.read() / geometry_.group_count;; average = 0) {
    for (std::uint32_t i = 0; i < geometry_.group_count; ++i) {
      const std::uint32_t group = (parent_group + i) % geometry_.group_count;
      if (groups_[group].free != 0 && groups_[group].free >= average) return group;
    }
    if (average == 0) return kNone;
  }
}

bool InodeAllocator::any_free() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const Group& group) { return group.free != 0; });
}

}  // namespace fcsim::model::ext4::allocation
