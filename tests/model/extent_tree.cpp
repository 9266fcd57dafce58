// Does ExtentTree map what was inserted, whatever its tree looks like? Compared with a map from
// each block to its place over random changes; the leaf blocks it takes and gives back must
// balance.
#include "model/ext4/extent_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/model/random.h"

using namespace fcsim;
using model::ext4::Extent;
using model::ext4::ExtentTree;
using test::Random;

namespace {

constexpr std::uint64_t kBlocks = 200;

struct Place {
  std::uint64_t physical = 0;
  bool unwritten = false;
  friend bool operator==(const Place&, const Place&) = default;
};
using Map = std::map<std::uint64_t, Place>;

class Leaves final : public model::ext4::LeafStore {
 public:
  void dirty(model::LogItem&) override {}
  std::uint64_t allocate_leaf(std::uint64_t) override {
    held.insert(++next_);
    return next_;
  }
  void free_leaf(model::LogItem&, std::uint64_t physical) override {
    REQUIRE(held.erase(physical) == 1);
  }
  std::set<std::uint64_t> held;

 private:
  std::uint64_t next_ = 1'000'000;
};

Map blocks_of(const ExtentTree& tree) {
  Map map;
  std::uint64_t block = 0;
  while (block < kBlocks + 64) {
    const ExtentTree::Lookup run = tree.lookup(block);
    REQUIRE(run.end > block);
    if (!run.mapped) {
      block = run.end;
      continue;
    }
    for (std::uint64_t i = block; i < run.end; ++i)
      map[i] = {run.physical + (i - block), run.unwritten};
    block = run.end;
  }
  return map;
}

void check_neighbours(const ExtentTree& tree, const Map& map, std::uint64_t block) {
  const Extent* left = tree.left_of(block);
  auto below = map.lower_bound(block);
  // left_of speaks of the extent that ends at or below the block.
  if (left != nullptr) {
    REQUIRE(left->end() <= block);
    REQUIRE(map.contains(left->end() - 1));
  } else if (below != map.begin()) {
    REQUIRE(tree.lookup((--below)->first).end > block);  // one extent reaches over the block
  }
  const Extent* right = tree.right_of(block);
  if (right != nullptr) {
    REQUIRE(right->logical > block);
    REQUIRE(map.contains(right->logical));
  }
}

// Neighbours of equal state that touch in the file and on disk, as one.
void check_merged(const ExtentTree& tree, const Map& map, std::uint64_t block) {
  const ExtentTree::Lookup run = tree.lookup_merged(block);
  REQUIRE(run.mapped == map.contains(block));
  if (!run.mapped) return;
  const Place first = map.at(block);
  REQUIRE(run.physical == first.physical);
  std::uint64_t end = block;
  while (map.contains(end) && map.at(end) == Place{first.physical + (end - block), first.unwritten})
    ++end;
  REQUIRE(run.end == end);
}

class Trial {
 public:
  Trial(std::uint64_t seed, std::uint32_t per_leaf)
      : random_(seed), tree_(per_leaf, model::kRootDirectory) {}

  void step() {
    const std::uint64_t first = random_.between(0, kBlocks - 1);
    const std::uint64_t end = first + random_.between(1, 12);
    switch (random_.between(0, 6)) {
      case 0:
      case 1:
      case 2:
        insert(first, end);
        break;
      case 3:
        convert(first, end, random_.one_in(2));
        break;
      case 4:
        remove(first, random_.one_in(20) ? kBlocks + 64 : end);
        break;
      case 5:
        tree_.split(first, end, leaves_);
        break;
      case 6:
        collapse(first, end);
        break;
      default:
        break;
    }
    REQUIRE(blocks_of(tree_) == map_);
    REQUIRE(tree_.empty() == map_.empty());
    const std::uint64_t probe = random_.between(0, kBlocks);
    check_neighbours(tree_, map_, probe);
    check_merged(tree_, map_, probe);
    REQUIRE(leaves_.held.size() >= tree_.leaves());
    REQUIRE(leaves_.held.size() <= tree_.leaves() + 1);  // the tree's second level
  }

  void clear() {
    std::vector<Extent> freed;
    tree_.take_all(freed, leaves_);
    REQUIRE(leaves_.held.empty());
    REQUIRE(tree_.empty());
  }

 private:
  void insert(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t b = first; b < end; ++b)
      if (map_.contains(b)) end = b;
    if (first >= end) return;
    // Where the left neighbour ends, so that merging can happen, or far away.
    std::uint64_t physical = next_physical_ += 1000;
    const bool unwritten = random_.one_in(2);
    if (first > 0 && map_.contains(first - 1) && random_.one_in(2))
      physical = map_.at(first - 1).physical + 1;
    tree_.insert({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first),
                  physical, unwritten},
                 random_.one_in(2), leaves_);
    for (std::uint64_t b = first; b < end; ++b) map_[b] = {physical + (b - first), unwritten};
  }
  void convert(std::uint64_t first, std::uint64_t end, bool unwritten) {
    tree_.convert(first, end, unwritten, leaves_);
    for (auto at = map_.lower_bound(first); at != map_.end() && at->first < end; ++at)
      at->second.unwritten = unwritten;
  }
  void remove(std::uint64_t first, std::uint64_t end) {
    std::vector<Extent> freed;
    tree_.remove(first, end, freed, leaves_);
    Map removed;
    for (const Extent& extent : freed)
      for (std::uint32_t i = 0; i < extent.length; ++i)
        removed[extent.logical + i] = {extent.physical + i, extent.unwritten};
    const Map expected(map_.lower_bound(first), map_.lower_bound(end));
    REQUIRE(removed == expected);
    map_.erase(map_.lower_bound(first), map_.lower_bound(end));
  }
  void collapse(std::uint64_t first, std::uint64_t end) {
    remove(first, end);
    tree_.shift(end, -static_cast<std::int64_t>(end - first), leaves_);
    Map moved;
    for (const auto& [block, place] : map_)
      moved[block < end ? block : block - (end - first)] = place;
    map_ = std::move(moved);
  }

  Random random_;
  ExtentTree tree_;
  Leaves leaves_;
  Map map_;
  std::uint64_t next_physical_ = 10'000;
};

}  // namespace

TEST_CASE("an ExtentTree maps what was inserted", "[extent tree]") {
  // Small leaves make deep trees of few extents; 340 is what a block of 4 KiB holds.
  for (const std::uint32_t per_leaf : {5U, 8U, 340U}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Trial trial(seed, per_leaf);
      for (int step = 0; step < 250; ++step) {
        INFO("seed " << seed << ", " << per_leaf << " extents a leaf, step " << step);
        trial.step();
      }
      trial.clear();
    }
  }
}

TEST_CASE("four extents live in the inode, the fifth makes a leaf", "[extent tree]") {
  ExtentTree tree(340, model::kRootDirectory);
  Leaves leaves;
  for (std::uint32_t i = 0; i < 4; ++i) tree.insert({2 * i, 1, 100 + 2 * i, false}, true, leaves);
  CHECK(tree.leaves() == 0);
  tree.insert({8, 1, 108, false}, true, leaves);
  CHECK(tree.leaves() == 1);
  CHECK(leaves.held.size() == 1);
  tree.insert({1, 1, 101, false}, true, leaves);  // joins two of them: four are left
  CHECK(tree.count() == 4);
  CHECK(tree.leaves() == 0);
  CHECK(leaves.held.empty());
}

TEST_CASE("extents are no longer than the kernel's", "[extent tree]") {
  ExtentTree tree(340, model::kRootDirectory);
  Leaves leaves;
  for (std::uint32_t i = 0; i < 4; ++i)
    tree.insert({i * 16384, 16384, 5000 + i * 16384, false}, true, leaves);
  CHECK(tree.count() == 2);  // of 32768 blocks each
  CHECK(tree.lookup(0).end == 32768);
  CHECK(tree.lookup_merged(0).end == 65536);
}
