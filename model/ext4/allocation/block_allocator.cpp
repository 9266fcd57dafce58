#include "model/ext4/allocation/block_allocator.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <iterator>

namespace fcsim::model::ext4::allocation {
namespace {

// Blocks of "lost+found": mke2fs adds blocks until it has 16 KiB and two blocks, or all that an
// inode without indirect blocks can have (misc/mke2fs.c:create_lost_and_found of 1.47; seen on file
// systems of 1, 2, 4 and 64 KiB blocks: 12, 8, 4 and 2).
std::uint32_t lost_and_found_blocks(std::uint32_t block_size) {
  constexpr std::uint32_t direct_blocks = 12;
  constexpr std::uint32_t wanted_bytes = 16 * 1024;
  return std::clamp((wanted_bytes + block_size - 1) / block_size, 2U, direct_blocks);
}

bool power_of(std::uint32_t n, std::uint32_t base) {
  while (n % base == 0) n /= base;
  return n == 1;
}

// sparse_super: groups 0, 1 and powers of 3, 5 and 7 hold a superblock.
bool has_superblock(std::uint32_t group) {
  return group <= 1 || power_of(group, 3) || power_of(group, 5) || power_of(group, 7);
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Blocks kept for a growing descriptor table (mke2fs: 1024 times the size, 2^32 blocks at most).
std::uint64_t reserved_descriptor_blocks(const FilesystemSettings& fs, const Geometry& g) {
  if (!fs.has("resize_inode")) return 0;
  const std::uint64_t most = std::min<std::uint64_t>(0xffffffffU, fs.block_count * 1024);
  const std::uint64_t groups = divide_up(most - g.first_data_block, g.blocks_per_group);
  const std::uint64_t now = divide_up(g.group_count, g.descriptors_per_block);
  const std::uint64_t all = divide_up(groups, g.descriptors_per_block);
  return std::min<std::uint64_t>(all > now ? all - now : 0, g.block_size / 4);
}

}  // namespace

BlockAllocator::BlockAllocator(const Geometry& geometry, const FilesystemSettings& filesystem,
                               const ClockSettings& machine, const BlockAllocationRules& rules)
    : geometry_(geometry),
      looked_at_(geometry.group_count),
      journal_blocks_(filesystem.journal_blocks),
      machine_(machine),
      rules_(rules),
      seen_(0, machine) {
  max_order_ = geometry.block_bits + 1;
  groups_.reserve(geometry.group_count);
  for (std::uint32_t group = 0; group < geometry.group_count; ++group) {
    const std::uint64_t left = geometry.block_count - first_block(group);
    groups_.emplace_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(left, geometry.blocks_per_group)));
  }
  untouched_.assign(geometry.group_count, true);
  lay_out(filesystem);
  flex_free_.assign(divide_up(geometry.group_count, geometry.flex_group_size), 0);
  for (std::uint32_t group = 0; group < geometry.group_count; ++group)
    count_free(group, groups_[group].free_blocks());
  count_exactly();
}

// What mke2fs 1.47 leaves used: superblocks and descriptors, bitmaps and inode tables packed at the
// start of each flex group, the journal in the roomiest group around the middle, "lost+found".
void BlockAllocator::lay_out(const FilesystemSettings& fs) {
  const Geometry& g = geometry_;
  const auto tables = static_cast<std::uint32_t>(divide_up(g.inodes_per_group, g.inodes_per_block));
  const auto descriptors = static_cast<std::uint32_t>(
      1 + divide_up(g.group_count, g.descriptors_per_block) + reserved_descriptor_blocks(fs, g));
  for (std::uint32_t group = 0; group < g.group_count; ++group)
    if (has_superblock(group)) groups_[group].take_any(0, descriptors);
  for (std::uint32_t first = 0; first < g.group_count; first += g.flex_group_size) {
    const std::uint32_t count = std::min(g.flex_group_size, g.group_count - first);
    std::uint64_t metadata = 2 * std::uint64_t{count} + std::uint64_t{count} * tables;
    for (std::uint32_t group = first; metadata != 0 && group < g.group_count; ++group) {
      const auto part = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(metadata, groups_[group].longest().length()));
      groups_[group].take(groups_[group].longest().first, part);
      metadata -= part;
    }
  }
  root_block_ = first_block(0) + groups_[0].longest().first;
  groups_[0].take_any(groups_[0].longest().first,
                      1 + lost_and_found_blocks(g.block_size) +  // the root's block first
                          (fs.has("resize_inode") ? 1U : 0U));   // its double indirect block
  untouched_[0] = false;
  untouched_[g.group_count - 1] = false;
  if (!g.has_journal) return;
  const std::uint32_t middle = g.group_count / 2;
  const std::uint32_t from = middle > g.flex_group_size
                                 ? middle / g.flex_group_size * g.flex_group_size
                             : middle > 0 ? middle - 1
                                          : 0;
  std::uint32_t best = from;
  for (std::uint32_t group = from; group <= middle + 1 && group < g.group_count; ++group)
    if (groups_[group].free_blocks() > groups_[best].free_blocks()) best = group;
  std::uint32_t left = fs.journal_blocks;
  for (std::uint32_t group = best; left != 0 && group < g.group_count; ++group) {
    const std::uint32_t start = groups_[group].longest().first;
    const std::uint32_t part = std::min(left, groups_[group].longest().length());
    groups_[group].take_any(start, part);
    untouched_[group] = false;
    left -= part;
  }
}

void BlockAllocator::count_free(std::uint32_t group, std::int64_t change) {
  free_ += change;
  flex_free_[group / geometry_.flex_group_size] += change;
}

bool BlockAllocator::near_average(std::uint32_t flex, std::uint32_t parts,
                                  std::int64_t spare) const {
  const std::int64_t free = flex_free_[flex];
  const std::int64_t wanted = seen_.read() / parts - spare;
  // One part: both sides count the same blocks, as long as the counter does not reach 0. Else the
  // left side moves by one and the right side by half a block, and one for rounding, at most.
  const std::int64_t distance = free >= wanted ? free - wanted : wanted - free - 1;
  spare_ = std::min(spare_, seen_.read());
  if (parts != 1) spare_ = std::min(spare_, std::max<std::int64_t>(distance - 1, 0) / 2);
  return free >= wanted;
}

bool BlockAllocator::holds_for(const Geometry& geometry, FilesystemSettings filesystem) const {
  if (filesystem.journal_blocks == journal_blocks_) return true;
  const BlockAllocator other(geometry, filesystem, machine_, rules_);
  filesystem.journal_blocks = journal_blocks_;
  const BlockAllocator fresh(geometry, filesystem, machine_, rules_);
  if (std::abs(other.free_ - fresh.free_) > spare_ || other.untouched_ != fresh.untouched_)
    return false;
  for (std::size_t group = 0; group < groups_.size(); ++group)
    if (looked_at_[group] != 0 && other.groups_[group] != fresh.groups_[group]) return false;
  return true;
}

std::uint64_t BlockAllocator::inode_goal(std::uint32_t inode_group, bool regular) const {
  std::uint32_t group = inode_group;
  if (geometry_.flex_group_size >= rules_.flex_scheme_groups) {
    group = group / geometry_.flex_group_size * geometry_.flex_group_size;
    if (regular) ++group;
  }
  return first_block(std::min(group, geometry_.group_count - 1));
}

BlockExtent BlockAllocator::allocate(const BlockRequest& request, InodeWindows& windows) {
  assert(request.length != 0);
  BlockExtent found;
  if (request.data) found = from_inode_window(request, windows);
  const std::uint64_t end = std::uint64_t{request.logical} + request.length;
  const std::uint64_t size = std::max(end, request.size_blocks);
  if (found.length == 0 && request.data && request.preallocate &&
      size <= rules_.stream_request_blocks)
    found = from_locality_group(request);
  if (found.length == 0) found = from_new_window(request, windows);
  if (found.length != 0) {
    seen_.add(-std::int64_t{found.length});
    touch(group_of(found.physical));
  }
  return found;
}

BlockExtent BlockAllocator::from_inode_window(const BlockRequest& request, InodeWindows& windows) {
  auto at = windows.upper_bound(request.logical);
  if (at == windows.begin()) return {};
  --at;
  const std::uint32_t skip = request.logical - at->first;
  Preallocation& window = at->second;
  if (skip >= window.length) return {};
  const std::uint32_t length = std::min(request.length, window.length - skip);
  const BlockExtent found{window.physical + skip, length};
  const Preallocation rest{found.physical + length, window.length - skip - length};
  if (skip == 0)
    windows.erase(at);
  else
    window.length = skip;
  if (rest.length != 0) windows.emplace(request.logical + length, rest);
  return found;
}

BlockExtent BlockAllocator::from_locality_group(const BlockRequest& request) {
  Preallocation& group = locality_groups_[cpu_];
  if (group.length < request.length) {
    const BlockExtent window =
        search(group_of(request.goal), std::max(rules_.group_window_blocks, request.length), true);
    if (window.length < request.length) return window;
    group = {window.physical, window.length};
  }
  const BlockExtent found{group.physical, request.length};
  group.physical += request.length;
  group.length -= request.length;
  return found;
}

// ext4_mb_normalize_request: the size class of the file, or the aligned window around the request,
// cut where neighbours and other windows already lie.
BlockAllocator::Window BlockAllocator::normalize(const BlockRequest& request,
                                                 const InodeWindows& windows) const {
  const std::uint32_t bits = geometry_.block_bits;
  const std::uint64_t request_end = std::uint64_t{request.logical} + request.length;
  const std::uint64_t bytes = std::max(request_end, request.size_blocks) << bits;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  for (std::uint64_t kib = rules_.smallest_window_kib; kib <= rules_.largest_class_kib; kib *= 2)
    if (size == 0 && bytes <= kib * 1024) size = (kib * 1024) >> bits;
  if (size == 0) {
    start = request.logical;
    size = request.length;
    // The longest run that mballoc's buddies know, in units of the kernel's comparison: blocks
    // against KiB (NRL_CHECK_SIZE).
    const std::uint64_t chunk = std::uint64_t{2} << bits;
    for (std::uint64_t doubled = 0; doubled < 3; ++doubled) {
      const std::uint64_t kib = std::uint64_t{rules_.aligned_window_kib} << doubled;
      const std::uint64_t blocks = (kib * 1024) >> bits;
      const bool fits = doubled < 2 ? bytes <= 2 * kib * 1024 : request.length <= blocks;
      if (!fits && chunk > kib) continue;
      start = request.logical / blocks * blocks;
      size = blocks;
      break;
    }
  }
  std::uint64_t end = std::min<std::uint64_t>(start + size, 0xffffffffU);
  if (request.left && start <= request.left->logical)
    start = std::uint64_t{request.left->logical} + 1;
  if (request.right && end > request.right->logical) end = request.right->logical;
  end = std::min(end, start + geometry_.blocks_per_group);
  const auto above = windows.upper_bound(request.logical);
  if (above != windows.end()) end = std::min<std::uint64_t>(end, above->first);
  if (above != windows.begin()) {
    const auto& [logical, below] = *std::prev(above);
    assert(std::uint64_t{logical} + below.length <= request.logical);
    start = std::max<std::uint64_t>(start, std::uint64_t{logical} + below.length);
  }
  assert(start <= request.logical && request.logical < end);
  Window window{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start), {}};
  if (request.right && request.right->logical == end && request.right->physical >= window.length)
    window.exact_goal = request.right->physical - window.length;
  if (request.left && std::uint64_t{request.left->logical} + 1 == start)
    window.exact_goal = request.left->physical + 1;
  return window;
}

BlockExtent BlockAllocator::from_new_window(const BlockRequest& request, InodeWindows& windows) {
  const std::uint64_t end = std::uint64_t{request.logical} + request.length;
  const bool settled = end == request.size_blocks && !request.open_for_write;
  const bool stream = request.data && request.preallocate && !settled;
  Window wanted{request.logical, request.length, {}};
  if (stream) wanted = normalize(request, windows);
  BlockExtent found;
  if (wanted.exact_goal) {
    const std::uint32_t group = group_of(*wanted.exact_goal);
    const auto offset = static_cast<std::uint32_t>(*wanted.exact_goal - first_block(group));
    if (group < groups_.size() && look_at(group).free_from(offset) >= wanted.length)
      found = take(group, offset, wanted.length);
  }
  if (found.length == 0)
    found =
        search(stream ? last_stream_group_ : group_of(request.goal), wanted.length, request.data);
  if (found.length == 0) return {};
  if (stream) last_stream_group_ = group_of(found.physical);
  const std::uint32_t skip = request.logical - wanted.logical;
  if (found.length <= skip) wanted.logical = request.logical;  // a short find starts at the request
  const std::uint32_t into = request.logical - wanted.logical;
  const BlockExtent result{found.physical + into, std::min(request.length, found.length - into)};
  if (into != 0) windows.insert_or_assign(wanted.logical, Preallocation{found.physical, into});
  const std::uint32_t after = found.length - into - result.length;
  if (after != 0)
    windows.insert_or_assign(request.logical + result.length,
                             Preallocation{result.physical + result.length, after});
  return result;
}

// Data keeps out of the first group of a flex group while whole chunks are looked for
// (ext4_mb_good_group).
bool BlockAllocator::skipped_for_data(std::uint32_t group, bool data) const {
  return data && geometry_.flex_group_size >= rules_.flex_scheme_groups &&
         group % geometry_.flex_group_size == 0;
}

BlockExtent BlockAllocator::search(std::uint32_t start_group, std::uint32_t length, bool data) {
  const BlockExtent found = find(start_group, length, data);
  if (found.length == 0) return {};
  const std::uint32_t group = group_of(found.physical);
  return take(group, static_cast<std::uint32_t>(found.physical - first_block(group)), found.length);
}

BlockExtent BlockAllocator::find(std::uint32_t start_group, std::uint32_t length, bool data) const {
  if (!any_free(1)) return {};
  const auto at_offset = [&](std::uint32_t group, std::uint32_t offset, std::uint32_t blocks) {
    return BlockExtent{first_block(group) + offset, blocks};
  };
  const auto count = static_cast<std::uint32_t>(groups_.size());
  const auto each = [&](auto&& visit) -> BlockExtent {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t group = (start_group + i) % count;
      if (look_at(group).free_blocks() == 0) continue;
      const BlockExtent found = visit(group);
      if (found.length != 0) return found;
    }
    return {};
  };
  BlockExtent found;
  const auto order = static_cast<std::uint32_t>(std::bit_width(length)) - 1;
  if (std::has_single_bit(length) && order >= 1 && order <= max_order_) {
    found = each([&](std::uint32_t group) -> BlockExtent {
      if (skipped_for_data(group, data)) return {};
      const auto at = look_at(group).buddy_fit(order, max_order_);
      return at ? at_offset(group, *at, length) : BlockExtent{};
    });
  }
  if (found.length == 0) {
    found = each([&](std::uint32_t group) -> BlockExtent {
      const FreeSpace& space = look_at(group);
      if (space.fragments() == 0 || space.free_blocks() / space.fragments() < length) return {};
      const auto at = space.first_fit(length);
      return at ? at_offset(group, *at, length) : BlockExtent{};
    });
  }
  if (found.length == 0) {
    found = each([&](std::uint32_t group) -> BlockExtent {
      const auto at = look_at(group).first_fit(length);
      return at ? at_offset(group, *at, length) : BlockExtent{};
    });
  }
  if (found.length != 0) return found;
  std::uint32_t best = 0;
  for (std::uint32_t group = 1; group < count; ++group)
    if (groups_[group].longest().length() > groups_[best].longest().length()) best = group;
  const FreeRun run = groups_[best].longest();  // every group was looked at
  return at_offset(best, run.first, std::min(length, run.length()));
}

BlockExtent BlockAllocator::take(std::uint32_t group, std::uint32_t offset, std::uint32_t length) {
  groups_[group].take(offset, length);
  count_free(group, -std::int64_t{length});
  return {first_block(group) + offset, length};
}

std::uint64_t BlockAllocator::allocate_metadata(std::uint64_t goal) {
  const BlockExtent found = search(group_of(goal), 1, false);
  if (found.length == 0) return 0;
  seen_.add(-1);
  touch(group_of(found.physical));
  return found.physical;
}

void BlockAllocator::free(std::uint64_t physical, std::uint32_t length) {
  if (physical >= geometry_.block_count) return;  // of a file whose place is not known
  // An extent may go on beyond the end with blocks that found no place.
  length =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(length, geometry_.block_count - physical));
  seen_.add(length);
  give_back(physical, length);
}

// The lagging counter does not move.
void BlockAllocator::give_back(std::uint64_t physical, std::uint32_t length) {
  while (length != 0) {
    const std::uint32_t group = group_of(physical);
    const auto offset = static_cast<std::uint32_t>(physical - first_block(group));
    const std::uint32_t part = std::min(length, geometry_.blocks_per_group - offset);
    groups_[group].give(offset, part);
    count_free(group, part);
    physical += part;
    length -= part;
  }
}

void BlockAllocator::give_up_set_aside() {
  for (Preallocation& window : locality_groups_) {
    give_back(window.physical, window.length);
    window = {};
  }
}

void BlockAllocator::discard(InodeWindows& windows) {
  for (const auto& [logical, window] : windows) {
    free(window.physical, window.length);
    seen_.add(-std::int64_t{window.length});
  }
  windows.clear();
}

void BlockAllocator::occupy(std::uint64_t physical, std::uint32_t length) {
  if (physical < geometry_.first_data_block) return;
  while (length != 0 && physical < geometry_.block_count) {
    const std::uint32_t group = group_of(physical);
    const auto offset = static_cast<std::uint32_t>(physical - first_block(group));
    const std::uint32_t part = std::min(length, geometry_.blocks_per_group - offset);
    const std::uint32_t before = look_at(group).free_blocks();
    groups_[group].take_any(offset, part);
    seen_.add(std::int64_t{groups_[group].free_blocks()} - before);
    count_free(group, std::int64_t{groups_[group].free_blocks()} - before);
    touch(group);
    physical += part;
    length -= part;
  }
}

}  // namespace fcsim::model::ext4::allocation
