#include "model/xfs/free_space.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace fcsim::model::xfs {

FreeSpace::FreeSpace(std::uint64_t block_count, std::uint32_t ag_count, std::uint64_t ag_blocks)
    : ag_blocks_(ag_blocks), groups_(ag_count) {
  assert(ag_count != 0 && ag_blocks != 0);
  for (std::uint32_t group = 0; group < ag_count; ++group) {
    const std::uint64_t start = group_start(group);
    if (start >= block_count) break;
    const std::uint64_t length = std::min(ag_blocks, block_count - start);
    groups_[group][start] = length;
    free_count_ += length;
  }
}

void FreeSpace::take(std::uint64_t first, std::uint64_t length) {
  while (length != 0) {
    const std::uint32_t group = group_of(first);
    if (group >= groups_.size()) return;
    Stretches& free = groups_[group];
    auto at = free.upper_bound(first);
    if (at != free.begin() && std::prev(at)->first + std::prev(at)->second > first) --at;
    if (at == free.end() || at->first >= first + length) return;
    const std::uint64_t start = at->first;
    const std::uint64_t end = start + at->second;
    const std::uint64_t cut = std::max(start, first);
    const std::uint64_t cut_end = std::min(end, first + length);
    free.erase(at);
    if (start < cut) free[start] = cut - start;
    if (cut_end < end) free[cut_end] = end - cut_end;
    free_count_ -= cut_end - cut;
    length = first + length - cut_end;
    first = cut_end;
  }
}

void FreeSpace::give_back(std::uint64_t first, std::uint64_t length) {
  const std::uint32_t group = group_of(first);
  if (group >= groups_.size() || length == 0) return;
  free_count_ += length;
  Stretches& free = groups_[group];
  auto next = free.lower_bound(first);
  if (next != free.end() && next->first == first + length) {
    length += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == first) {
      previous->second += length;
      return;
    }
  }
  free[first] = length;
}

std::uint64_t FreeSpace::longest(std::uint32_t group) const {
  std::uint64_t most = 0;
  for (const auto& [first, length] : groups_[group]) most = std::max(most, length);
  return most;
}

// Of all stretches that are long enough the one with the smallest distance.
Blocks FreeSpace::nearest(std::uint32_t group, std::uint64_t target, std::uint64_t length,
                          bool user_data) const {
  Blocks best;
  std::uint64_t best_distance = 0;
  for (const auto& [first, free] : groups_[group]) {
    if (free < length) continue;
    const std::uint64_t end = first + free;
    std::uint64_t start = end - length;
    if (first >= target || (user_data && end < target + length))
      start = first;
    else if (end >= target + length)
      start = target;
    const std::uint64_t distance = start > target ? start - target : target - start;
    if (best.length != 0 && distance >= best_distance) {
      if (first > target) break;
      continue;
    }
    best = {start, length};
    best_distance = distance;
  }
  return best;
}

Blocks FreeSpace::allocate(std::uint64_t target, std::uint64_t length, bool user_data) {
  const auto count = static_cast<std::uint32_t>(groups_.size());
  const std::uint32_t first_group = std::min(group_of(target), count - 1);
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t group = (first_group + i) % count;
    const Blocks found = nearest(group, i == 0 ? target : group_start(group), length, user_data);
    if (found.length != 0) {
      take(found.first, found.length);
      return found;
    }
    most = std::max(most, longest(group));
  }
  return most == 0 ? Blocks{} : allocate(target, most, user_data);
}

bool FreeSpace::allocate_exactly(std::uint64_t first, std::uint64_t length) {
  const std::uint32_t group = group_of(first);
  if (group >= groups_.size()) return false;
  const Stretches& free = groups_[group];
  auto at = free.upper_bound(first);
  if (at == free.begin()) return false;
  --at;
  if (at->first + at->second < first + length) return false;
  take(first, length);
  return true;
}

Blocks FreeSpace::allocate_aligned(std::uint32_t group, std::uint64_t length,
                                   std::uint64_t alignment) {
  for (const auto& [first, free] : groups_[group]) {
    const std::uint64_t base = group_start(group);
    const std::uint64_t start = base + (first - base + alignment - 1) / alignment * alignment;
    if (start + length > first + free) continue;
    take(start, length);
    return {start, length};
  }
  return {};
}

}  // namespace fcsim::model::xfs
