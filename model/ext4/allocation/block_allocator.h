// Where blocks are placed: a sketch of mballoc good enough for two questions, how contiguous a
// file's blocks are and which groups' bitmaps an allocation touches.
//
// Facts: fs/ext4/mballoc.c of 6.12 and the layouts measured on 6.18 (block placement section of the
// fact sheet): a small file's blocks come from the locality group's window, a larger one's from
// size-class windows kept as the inode's preallocation. Each CPU has a locality group; where the
// trace does not tell the CPU, one is assumed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/geometry.h"
#include "model/ext4/allocation/free_space.h"
#include "model/ext4/allocation/percpu_counter.h"

namespace fcsim::model::ext4::allocation {

// A run of blocks set aside, not yet on the bitmap.
struct Preallocation {
  std::uint64_t physical = 0;
  std::uint32_t length = 0;
};

// Those of one inode by their first logical block. They do not overlap.
using InodeWindows = std::map<std::uint32_t, Preallocation>;

// An existing extent beside the wanted blocks.
struct Neighbour {
  std::uint32_t logical = 0;   // of its block nearest to the request
  std::uint64_t physical = 0;  // where that block lies
};

struct BlockRequest {
  std::uint32_t group = 0;  // of the inode
  std::uint32_t logical = 0;
  std::uint32_t length = 0;       // blocks, > 0
  std::uint64_t size_blocks = 0;  // i_size, rounded up
  std::uint64_t goal = 0;         // physical block wanted
  std::optional<Neighbour> left, right;
  bool data = true;         // a regular file's data
  bool preallocate = true;  // false: exactly what is asked (fallocate of little, metadata)
  bool open_for_write = true;
};

struct BlockExtent {
  std::uint64_t physical = 0;
  std::uint32_t length = 0;  // 0: no space
};

class BlockAllocator {
 public:
  BlockAllocator(const Geometry& geometry, const FilesystemSettings& filesystem, bool smp);

  // At most request.length blocks from request.logical on, in one run.
  BlockExtent allocate(const BlockRequest& request, InodeWindows& inode_windows);
  // One block for a directory, an extent leaf or an xattr block.
  std::uint64_t allocate_metadata(std::uint64_t goal);
  // The root directory's block, which mke2fs laid out.
  [[nodiscard]] std::uint64_t root_directory_block() const { return root_block_; }
  void free(std::uint64_t physical, std::uint32_t length);
  void discard(InodeWindows& inode_windows);
  // Blocks that files had before the trace.
  void occupy(std::uint64_t physical, std::uint32_t length);

  [[nodiscard]] std::uint32_t group_of(std::uint64_t physical) const {
    return static_cast<std::uint32_t>((physical - geometry_.first_data_block) /
                                      geometry_.blocks_per_group);
  }
  [[nodiscard]] std::uint64_t first_block(std::uint32_t group) const {
    return std::uint64_t{group} * geometry_.blocks_per_group + geometry_.first_data_block;
  }
  // Where an empty inode's first block is wanted (ext4_inode_to_goal_block).
  [[nodiscard]] std::uint64_t inode_goal(std::uint32_t inode_group, bool regular) const;
  // Whether a flex group, one of `parts`, has as many free blocks as the average by the lagging
  // counter, less `spare`.
  [[nodiscard]] bool near_average(std::uint32_t flex, std::uint32_t parts,
                                  std::int64_t spare) const;
  // Blocks that can be allocated at once, and those set aside for the next small files.
  [[nodiscard]] std::int64_t free_now() const {
    spare_ = 0;
    return free_;
  }
  [[nodiscard]] bool any_free(std::int64_t wanted) const {
    const std::int64_t left = free_ - wanted;
    spare_ = std::min(spare_, left >= 0 ? left : -left - 1);
    return left >= 0;
  }
  [[nodiscard]] std::int64_t set_aside() const {
    std::int64_t blocks = 0;
    for (const Preallocation& window : locality_groups_) blocks += window.length;
    return blocks;
  }
  void give_up_set_aside();
  // As at mount: the lagging counter starts from what is free.
  void count_exactly() { seen_ = PercpuCounter(free_, smp_); }
  [[nodiscard]] bool smp() const { return smp_; }
  // The CPU whose window small files' blocks come from next; below 0: not known.
  void run_on(std::int16_t cpu) {
    cpu_ = static_cast<std::size_t>(std::max<std::int16_t>(cpu, 0));
    if (cpu_ >= locality_groups_.size()) locality_groups_.resize(cpu_ + 1);
  }
  // What an allocator remembers only while mounted is forgotten.
  void mount_again() {
    locality_groups_.assign(1, {});
    cpu_ = 0;
    last_stream_group_ = 0;
    count_exactly();
  }
  // Nothing but metadata of the layout lies in the group: its bitmap is not initialised on disk.
  [[nodiscard]] bool untouched(std::uint32_t group) const { return untouched_[group]; }
  void touch(std::uint32_t group) { untouched_[group] = false; }
  // Whether the same blocks would have been found beside a journal of another size: nobody looked
  // at a group where it leaves others free, and no count was so near to what it was compared with.
  [[nodiscard]] bool holds_for(const Geometry& geometry, FilesystemSettings filesystem) const;

 private:
  struct Window {  // a wanted run of blocks in file coordinates
    std::uint32_t logical = 0;
    std::uint32_t length = 0;
    std::optional<std::uint64_t> exact_goal;
  };

  void lay_out(const FilesystemSettings& filesystem);
  BlockExtent from_inode_window(const BlockRequest& request, InodeWindows& windows);
  BlockExtent from_locality_group(const BlockRequest& request);
  BlockExtent from_new_window(const BlockRequest& request, InodeWindows& windows);
  [[nodiscard]] Window normalize(const BlockRequest& request, const InodeWindows& windows) const;
  const FreeSpace& look_at(std::uint32_t group) const {
    looked_at_[group] = 1;
    return groups_[group];
  }
  BlockExtent find(std::uint32_t start_group, std::uint32_t length, bool data) const;
  BlockExtent search(std::uint32_t start_group, std::uint32_t length, bool data);
  void count_free(std::uint32_t group, std::int64_t change);
  void give_back(std::uint64_t physical, std::uint32_t length);
  BlockExtent take(std::uint32_t group, std::uint32_t offset, std::uint32_t length);
  [[nodiscard]] bool skipped_for_data(std::uint32_t group, bool data) const;

  const Geometry& geometry_;
  std::vector<FreeSpace> groups_;
  std::vector<bool> untouched_;
  mutable std::vector<std::uint8_t> looked_at_;  // groups: what is free there decided something
  // So many free blocks more or fewer would have changed no answer that depends on their count.
  mutable std::int64_t spare_ = std::numeric_limits<std::int64_t>::max();
  std::uint32_t journal_blocks_;
  bool smp_;
  PercpuCounter seen_;
  std::int64_t free_ = 0;                // of all groups
  std::vector<std::int64_t> flex_free_;  // of each flex group
  std::uint64_t root_block_ = 0;
  std::vector<Preallocation> locality_groups_{1};  // a CPU's current window (s_locality_groups)
  std::size_t cpu_ = 0;
  std::uint32_t last_stream_group_ = 0;
  std::uint32_t max_order_ = 13;
};

}  // namespace fcsim::model::ext4::allocation
