#include "model/xfs/inode_chunks.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

namespace fcsim::model::xfs {
namespace {

std::uint32_t chunk_of(std::uint32_t position) {
  return position / kChunkInodes * kChunkInodes;
}
std::uint64_t bit_of(std::uint32_t position) {
  return std::uint64_t{1} << (position % kChunkInodes);
}

}  // namespace

void InodeChunks::store(Group& group, std::uint32_t chunk, std::uint64_t mask) {
  group.used[chunk] = mask;
  if (~mask != 0)
    group.open[chunk] = mask;
  else
    group.open.erase(chunk);
  group.newest_end = std::max(group.newest_end, chunk + kChunkInodes);
}

void InodeChunks::occupy(InodePlace place) {
  Group& group = groups_[place.group];
  const std::uint32_t chunk = chunk_of(place.position);
  const auto found = group.used.find(chunk);
  const std::uint64_t mask = found == group.used.end() ? 0 : found->second;
  store(group, chunk, mask | bit_of(place.position));
}

bool InodeChunks::has_free(std::uint32_t group) const {
  return !groups_[group].open.empty();
}

void InodeChunks::add_chunk(std::uint32_t group, std::uint32_t first) {
  assert(first % kChunkInodes == 0);
  store(groups_[group], first, 0);
}

InodePlace InodeChunks::allocate(std::uint32_t group_number, std::uint32_t near) {
  Group& group = groups_[group_number];
  assert(!group.open.empty());
  auto right = group.open.upper_bound(near);
  auto chosen = right;
  if (right != group.open.begin()) {
    const auto left = std::prev(right);
    const std::uint32_t left_end = left->first + kChunkInodes - 1;
    const std::uint32_t to_left = near > left_end ? near - left_end : 0;
    if (right == group.open.end() || to_left <= right->first - near) chosen = left;
  }
  const std::uint32_t chunk = chosen->first;
  const std::uint64_t mask = chosen->second;
  const auto index = static_cast<std::uint32_t>(std::countr_one(mask));
  store(group, chunk, mask | (std::uint64_t{1} << index));
  return {group_number, chunk + index};
}

bool InodeChunks::free(InodePlace place) {
  Group& group = groups_[place.group];
  const std::uint32_t chunk = chunk_of(place.position);
  const auto found = group.used.find(chunk);
  if (found == group.used.end()) return false;
  const std::uint64_t mask = found->second & ~bit_of(place.position);
  if (mask != 0) {
    store(group, chunk, mask);
    return false;
  }
  group.used.erase(chunk);
  group.open.erase(chunk);
  return true;
}

}  // namespace fcsim::model::xfs
