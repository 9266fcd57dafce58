#include "model/ext4/extent_tree.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::model::ext4 {
namespace {

// ee_len is 16 bits on disk, and lengths above 2^15 mark unwritten extents
// (fs/ext4/ext4_extents.h): the format's limit of an extent. What a record of the fast-commit log
// holds is a kernel's rule.
constexpr std::uint32_t kMaxWritten = 1U << 15;
constexpr std::uint32_t kMaxUnwritten = kMaxWritten - 1;

}  // namespace

bool ExtentTree::can_merge(const Extent& a, const Extent& b) {
  const std::uint32_t most = a.unwritten ? kMaxUnwritten : kMaxWritten;
  return a.unwritten == b.unwritten && a.end() == b.logical &&
         a.physical + a.length == b.physical && std::uint64_t{a.length} + b.length <= most;
}

// ---- looking up -----------------------------------------------------------------------------

ExtentTree::Place ExtentTree::place_inside(std::uint64_t block) const {
  std::size_t leaf = leaves_.size() - 1;
  if (leaf != 0 && block < leaves_[leaf].extents.front().logical) {
    const auto above = std::upper_bound(
        leaves_.begin(), leaves_.end(), block,
        [](std::uint64_t b, const Leaf& l) { return b < l.extents.front().logical; });
    leaf = above == leaves_.begin() ? 0 : static_cast<std::size_t>(above - leaves_.begin()) - 1;
  }
  const auto& extents = leaves_[leaf].extents;
  if (extents.empty() || block >= extents.back().end()) return {leaf, extents.size()};
  if (block >= extents.back().logical) return {leaf, extents.size() - 1};
  const auto it = std::upper_bound(extents.begin(), extents.end(), block,
                                   [](std::uint64_t b, const Extent& e) { return b < e.end(); });
  return {leaf, static_cast<std::size_t>(it - extents.begin())};
}

const Extent* ExtentTree::at(Place p) const {
  if (p.leaf >= leaves_.size()) return nullptr;
  if (p.index < leaves_[p.leaf].extents.size()) return &leaves_[p.leaf].extents[p.index];
  if (p.leaf + 1 < leaves_.size()) return &leaves_[p.leaf + 1].extents.front();
  return nullptr;
}

ExtentTree::Lookup ExtentTree::lookup(std::uint64_t block) const {
  const Extent* extent = at(place(block));
  if (extent == nullptr) return {false, false, 0, std::uint64_t{kMaxBlock}};
  if (extent->logical > block) return {false, false, 0, extent->logical};
  return {true, extent->unwritten, extent->physical + (block - extent->logical), extent->end()};
}

ExtentTree::Lookup ExtentTree::lookup_merged(std::uint64_t block) const {
  Lookup run = lookup(block);
  if (!run.mapped) return run;
  while (true) {
    const Lookup next = lookup(run.end);
    if (!next.mapped || next.unwritten != run.unwritten ||
        next.physical != run.physical + (run.end - block))
      return run;
    run.end = next.end;
  }
}

BlockRun ExtentTree::leaf_span(std::uint64_t block) const {
  if (leaves_.empty()) return {};
  const auto& extents = leaves_[place(block).leaf].extents;
  return {extents.front().logical, extents.back().end()};
}

const Extent* ExtentTree::left_of(std::uint64_t block) const {
  Place p = place(block);
  if (p.leaf >= leaves_.size()) return nullptr;
  if (p.index > 0) return &leaves_[p.leaf].extents[p.index - 1];
  return p.leaf > 0 ? &leaves_[p.leaf - 1].extents.back() : nullptr;
}

const Extent* ExtentTree::right_of(std::uint64_t block) const {
  const Extent* extent = at(place(block));
  if (extent == nullptr || extent->logical > block) return extent;
  return at(place(extent->end()));
}

// ---- changing -------------------------------------------------------------------------------

void ExtentTree::touch(std::size_t leaf, LeafStore& store) {
  if (in_inode_) return;
  leaves_[leaf].block.owner = index_.owner;
  leaves_[leaf].block.kind = ItemKind::extent_block;
  store.dirty(leaves_[leaf].block);
}

void ExtentTree::insert(const Extent& extent, bool merge, LeafStore& store) {
  assert(extent.length != 0);
  if (merge && !leaves_.empty()) {
    const Place p = place(extent.logical);
    auto& extents = leaves_[p.leaf].extents;
    if (p.index > 0 && can_merge(extents[p.index - 1], extent)) {
      extents[p.index - 1].length += extent.length;
      merge_at(p.leaf, p.index - 1);
      touch(p.leaf, store);
      collapse(store);
      return;
    }
    if (p.index < extents.size() && can_merge(extent, extents[p.index])) {
      Extent& right = extents[p.index];
      right.logical = extent.logical;
      right.physical = extent.physical;
      right.length += extent.length;
      touch(p.leaf, store);
      collapse(store);
      return;
    }
  }
  add(extent, store);
}

// ext4_ext_insert_extent where nothing merges: room in the leaf, in the next one, or a split.
void ExtentTree::add(const Extent& extent, LeafStore& store) {
  if (leaves_.empty()) leaves_.emplace_back();
  Place p = place(extent.logical);
  if (leaves_[p.leaf].extents.size() >= capacity()) {
    if (in_inode_) {
      grow(store);
      p = place(extent.logical);
    } else if (p.index == leaves_[p.leaf].extents.size() && p.leaf + 1 < leaves_.size() &&
               leaves_[p.leaf + 1].extents.size() < capacity()) {
      p = {p.leaf + 1, 0};
    } else {
      Leaf fresh;
      fresh.physical = store.allocate_leaf(leaves_[p.leaf].physical);
      auto& full = leaves_[p.leaf].extents;
      const auto cut = full.begin() + static_cast<std::ptrdiff_t>(p.index);
      fresh.extents.assign(cut, full.end());
      full.erase(cut, full.end());
      touch(p.leaf, store);
      if (fresh.extents.empty()) p = {p.leaf + 1, 0};
      const std::size_t at = p.index == 0 && fresh.extents.empty() ? p.leaf : p.leaf + 1;
      leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(at), std::move(fresh));
      touch(at, store);
      if (leaves_.size() > kInInode) {
        if (index_physical_ == 0) index_physical_ = store.allocate_leaf(leaves_[at].physical);
        store.dirty(index_);
      }
    }
  }
  auto& extents = leaves_[p.leaf].extents;
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(p.index), extent);
  ++count_;
  touch(p.leaf, store);
}

void ExtentTree::grow(LeafStore& store) {
  assert(in_inode_ && leaves_.size() == 1);
  const auto& extents = leaves_.front().extents;
  leaves_.front().physical = store.allocate_leaf(extents.empty() ? 0 : extents.front().physical);
  leaves_.front().block = {};
  in_inode_ = false;
  touch(0, store);
}

bool ExtentTree::merge_at(std::size_t leaf, std::size_t index) {
  auto& extents = leaves_[leaf].extents;
  if (index + 1 >= extents.size() || !can_merge(extents[index], extents[index + 1])) return false;
  extents[index].length += extents[index + 1].length;
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  --count_;
  return true;
}

void ExtentTree::merge_around(Place p, LeafStore& store) {
  merge_at(p.leaf, p.index);
  if (p.index > 0) merge_at(p.leaf, p.index - 1);
  touch(p.leaf, store);
  collapse(store);
}

// A single leaf that fits moves back into the inode (ext4_ext_try_to_merge_up).
void ExtentTree::collapse(LeafStore& store) {
  if (in_inode_ || leaves_.size() != 1 || leaves_.front().extents.size() > kInInode) return;
  store.free_leaf(leaves_.front().block, leaves_.front().physical);
  leaves_.front().physical = 0;
  in_inode_ = true;
}

void ExtentTree::split_at(std::uint64_t block, LeafStore& store) {
  const Place p = place(block);
  if (p.leaf >= leaves_.size() || p.index >= leaves_[p.leaf].extents.size()) return;
  Extent& extent = leaves_[p.leaf].extents[p.index];
  if (extent.logical >= block || extent.end() <= block) return;
  Extent upper = extent;
  const auto kept = static_cast<std::uint32_t>(block - extent.logical);
  upper.logical += kept;
  upper.physical += kept;
  upper.length -= kept;
  extent.length = kept;
  touch(p.leaf, store);
  add(upper, store);
}

void ExtentTree::split(std::uint64_t first, std::uint64_t end, LeafStore& store) {
  const Extent* const whole = at(place(first));
  if (whole != nullptr && whole->logical == first && whole->end() == end) return;
  split_at(end, store);
  split_at(first, store);
}

void ExtentTree::convert(std::uint64_t first, std::uint64_t end, bool unwritten, LeafStore& store) {
  for (std::uint64_t block = first; block < end;) {
    const Lookup run = lookup(block);
    const std::uint64_t stop = std::min(run.end, end);
    if (run.mapped && run.unwritten != unwritten) {
      split(block, stop, store);
      const Place p = place(block);
      leaves_[p.leaf].extents[p.index].unwritten = unwritten;
      merge_around(p, store);
    }
    block = stop;
  }
}

void ExtentTree::remove(std::uint64_t first, std::uint64_t end, std::vector<Extent>& freed,
                        LeafStore& store) {
  if (leaves_.empty()) return;
  // Only a hole in the middle of one extent needs a new entry; cutting an end does not.
  const Extent* around = at(place(first));
  if (around != nullptr && around->logical < first && around->end() > end) split_at(end, store);
  while (true) {
    const Place p = place(first);
    const Extent* found = at(p);
    if (found == nullptr || found->logical >= end) break;
    const Place q = p.index < leaves_[p.leaf].extents.size() ? p : Place{p.leaf + 1, 0};
    Extent& extent = leaves_[q.leaf].extents[q.index];
    const std::uint64_t from = std::max<std::uint64_t>(first, extent.logical);
    const std::uint64_t to = std::min(end, extent.end());
    const auto skip = static_cast<std::uint32_t>(from - extent.logical);
    const auto length = static_cast<std::uint32_t>(to - from);
    freed.push_back(
        {static_cast<std::uint32_t>(from), length, extent.physical + skip, extent.unwritten});
    touch(q.leaf, store);
    if (skip == 0 && length == extent.length) {
      auto& extents = leaves_[q.leaf].extents;
      extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(q.index));
      --count_;
      if (extents.empty()) {
        if (!in_inode_) store.free_leaf(leaves_[q.leaf].block, leaves_[q.leaf].physical);
        leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(q.leaf));
        if (leaves_.empty()) in_inode_ = true;
      }
    } else if (skip == 0) {
      extent.logical += length;
      extent.physical += length;
      extent.length -= length;
    } else {
      extent.length = skip;
    }
    if (leaves_.empty()) break;
  }
  if (leaves_.empty() && index_physical_ != 0) {
    store.free_leaf(index_, index_physical_);
    index_physical_ = 0;
  }
}

void ExtentTree::shift(std::uint64_t from, std::int64_t distance, LeafStore& store) {
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    bool moved = false;
    for (Extent& extent : leaves_[i].extents) {
      if (extent.logical < from) continue;
      extent.logical = static_cast<std::uint32_t>(std::int64_t{extent.logical} + distance);
      moved = true;
    }
    if (moved) touch(i, store);
  }
}

void ExtentTree::take_all(std::vector<Extent>& extents, LeafStore& store) {
  remove(0, std::uint64_t{kMaxBlock} + 1, extents, store);
  assert(count_ == 0);
}

}  // namespace fcsim::model::ext4
