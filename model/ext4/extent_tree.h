// One file's map from logical to physical blocks, with the shape of its on-disk tree.
//
// The map answers what the journal must know: where blocks lie and whether they are written, how
// many extents a range has, and which leaf blocks a change dirties, adds or frees. Four extents
// live in the inode; the fifth makes a leaf block (fs/ext4/extents.c of 6.12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/common/block_set.h"
#include "model/journal.h"

namespace fcsim::model::ext4 {

struct Extent {
  std::uint32_t logical = 0;
  std::uint32_t length = 0;  // blocks, > 0
  std::uint64_t physical = 0;
  bool unwritten = false;
  [[nodiscard]] std::uint64_t end() const { return std::uint64_t{logical} + length; }
};

// Where a tree gets and returns its leaf blocks; the file system implements it.
class LeafStore {
 public:
  virtual ~LeafStore() = default;
  virtual void dirty(LogItem& block) = 0;
  [[nodiscard]] virtual std::uint64_t allocate_leaf(std::uint64_t near_physical) = 0;
  virtual void free_leaf(LogItem& block, std::uint64_t physical) = 0;
};

class ExtentTree {
 public:
  static constexpr std::uint32_t kMaxBlock = 0xffffffffU;              // EXT_MAX_BLOCKS
  static constexpr std::uint64_t kEnd = std::uint64_t{kMaxBlock} + 1;  // one past any block

  // What lies at a block: an extent's rest, or a hole up to the next extent.
  struct Lookup {
    bool mapped = false;
    bool unwritten = false;
    std::uint64_t physical = 0;  // of the block asked for
    std::uint64_t end = 0;       // one past the run's last block
  };

  // `file`: whose extents they are, for the identity of the tree's blocks.
  ExtentTree(std::uint32_t extents_per_leaf, FileId file)
      : per_leaf_(extents_per_leaf), index_{0, file, ItemKind::extent_block} {}

  [[nodiscard]] Lookup lookup(std::uint64_t block) const;
  // As the extent status tree sees it: neighbours contiguous in file and on disk, of equal state,
  // are one run.
  [[nodiscard]] Lookup lookup_merged(std::uint64_t block) const;
  // A walk of lookup_merged() over blocks that only rise: it goes on from where it was, so that a
  // walk over a whole file takes a time linear in its extents. The tree must not change meanwhile.
  class Walk {
   public:
    explicit Walk(const ExtentTree& tree) : tree_(tree) {}
    // `block`: not below that of the call before.
    [[nodiscard]] Lookup lookup_merged(std::uint64_t block);

   private:
    const ExtentTree& tree_;
    std::size_t leaf_ = 0;
    std::size_t index_ = 0;
    bool placed_ = false;
  };
  // From the first extent to the last of the leaf that a look-up of the block reads.
  [[nodiscard]] BlockRun leaf_span(std::uint64_t block) const;
  [[nodiscard]] const Extent* left_of(std::uint64_t block) const;   // last extent below the block
  [[nodiscard]] const Extent* right_of(std::uint64_t block) const;  // first extent above it
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t leaves() const { return in_inode_ ? 0 : leaves_.size(); }

  // A new extent where there was a hole. `merge`: join it with neighbours at once (not before I/O).
  void insert(const Extent& extent, bool merge, LeafStore& store);
  // Makes [first, end) extents of their own, splitting what crosses the ends.
  void split(std::uint64_t first, std::uint64_t end, LeafStore& store);
  // Blocks [first, end) that are mapped become written or unwritten; merges with equal neighbours.
  void convert(std::uint64_t first, std::uint64_t end, bool unwritten, LeafStore& store);
  // Unmaps [first, end). The physical runs are appended to `freed`.
  void remove(std::uint64_t first, std::uint64_t end, std::vector<Extent>& freed, LeafStore& store);
  // All extents at or beyond `from` move by `distance` blocks (collapse and insert range).
  void shift(std::uint64_t from, std::int64_t distance, LeafStore& store);
  // Drops everything without touching a leaf's blocks; for maps that leave with their file.
  void take_all(std::vector<Extent>& extents, LeafStore& store);

 private:
  static constexpr std::size_t kInInode = 4;

  struct Leaf {
    mutable std::vector<Extent> extents;
    mutable std::int64_t moved_by = 0;  // blocks that shift() has still to move the extents by
    LogItem block;
    std::uint64_t physical = 0;

    [[nodiscard]] std::uint64_t first() const {
      return static_cast<std::uint64_t>(std::int64_t{extents.front().logical} + moved_by);
    }
    void settle() const;
  };
  struct Place {
    std::size_t leaf = 0;
    std::size_t index = 0;  // first extent that ends beyond the block
  };

  [[nodiscard]] std::vector<Extent>& extents_of(std::size_t leaf) const {
    if (leaves_[leaf].moved_by != 0) leaves_[leaf].settle();
    return leaves_[leaf].extents;
  }
  // Most look-ups are of a file's end.
  [[nodiscard]] Place place(std::uint64_t block) const {
    if (leaves_.empty()) return {};
    const std::size_t leaf = leaves_.size() - 1;
    const std::vector<Extent>& extents = extents_of(leaf);
    if (extents.empty() || block < extents.back().logical) return place_inside(block);
    return {leaf, block >= extents.back().end() ? extents.size() : extents.size() - 1};
  }
  [[nodiscard]] Place place_inside(std::uint64_t block) const;
  [[nodiscard]] const Extent* at(Place p) const;
  [[nodiscard]] Place after(Place p) const;
  [[nodiscard]] Place place_onward(std::uint64_t block, Place from) const;
  [[nodiscard]] static Lookup lookup_in(const Extent* extent, std::uint64_t block);
  [[nodiscard]] std::size_t capacity() const { return in_inode_ ? kInInode : per_leaf_; }
  void touch(std::size_t leaf, LeafStore& store);
  void add(const Extent& extent, LeafStore& store);
  void grow(LeafStore& store);
  bool merge_at(std::size_t leaf, std::size_t index);
  void merge_around(Place p, LeafStore& store);
  void collapse(LeafStore& store);
  void split_at(std::uint64_t block, LeafStore& store);
  static bool can_merge(const Extent& a, const Extent& b);

  std::uint32_t per_leaf_;
  bool in_inode_ = true;
  std::size_t count_ = 0;
  std::vector<Leaf> leaves_;
  LogItem index_;  // the tree's second level, once the root's four slots are full
  std::uint64_t index_physical_ = 0;
};

}  // namespace fcsim::model::ext4
