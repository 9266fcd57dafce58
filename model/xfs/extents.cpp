#include "model/xfs/extents.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model::xfs {
namespace {

bool continues(const Extent& a, const Extent& b) {
  return a.end() == b.first && a.state == b.state && (!a.real() || a.block + a.length == b.block) &&
         a.length + b.length <= kLongestExtent;
}

}  // namespace

std::size_t ExtentList::find(std::uint64_t block) const {
  const auto found =
      std::lower_bound(extents_.begin(), extents_.end(), block,
                       [](const Extent& e, std::uint64_t b) { return e.end() <= b; });
  return static_cast<std::size_t>(found - extents_.begin());
}

const Extent* ExtentList::at(std::uint64_t block) const {
  const std::size_t i = find(block);
  return i < extents_.size() && extents_[i].first <= block ? &extents_[i] : nullptr;
}

void ExtentList::put(std::size_t i, const Extent& extent) {
  extents_.insert(extents_.begin() + static_cast<std::ptrdiff_t>(i), extent);
  if (extent.real()) return;
  ++delayed_count_;
  delayed_blocks_ += extent.length;
}

void ExtentList::take(std::size_t i) {
  if (!extents_[i].real()) {
    --delayed_count_;
    delayed_blocks_ -= extents_[i].length;
  }
  extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(i));
}

void ExtentList::merge_at(std::size_t i) {
  if (i == 0 || i >= extents_.size() || !continues(extents_[i - 1], extents_[i])) return;
  Extent merged = extents_[i - 1];
  merged.length += extents_[i].length;
  take(i);
  take(i - 1);
  put(i - 1, merged);
}

void ExtentList::insert(const Extent& extent) {
  if (extent.length == 0) return;
  const std::size_t i = find(extent.first);
  assert(i == extents_.size() || extents_[i].first >= extent.end());
  put(i, extent);
  merge_at(i + 1);
  merge_at(i);
}

bool ExtentList::split(std::uint64_t at) {
  const std::size_t i = find(at);
  if (i == extents_.size() || extents_[i].first >= at) return false;
  Extent left = extents_[i];
  Extent right = left;
  left.length = at - left.first;
  right.first = at;
  right.length -= left.length;
  if (right.real()) right.block += left.length;
  take(i);
  put(i, right);
  put(i, left);
  return true;
}

void ExtentList::erase(std::uint64_t first, std::uint64_t end) {
  if (first >= end) return;
  split(first);
  split(end);
  std::size_t i = find(first);
  while (i < extents_.size() && extents_[i].first < end) take(i);
}

void ExtentList::set_state(std::uint64_t first, std::uint64_t end, ExtentState state) {
  split(first);
  split(end);
  const std::size_t i = find(first);
  assert(i < extents_.size() && extents_[i].first == first && extents_[i].end() == end);
  assert(extents_[i].real() && state != ExtentState::delayed);
  extents_[i].state = state;
  merge_at(i + 1);
  merge_at(i);
}

void ExtentList::shift(std::uint64_t from, std::int64_t by) {
  const std::size_t start = find(from);
  for (std::size_t i = start; i < extents_.size(); ++i)
    extents_[i].first =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(extents_[i].first) + by);
  merge_at(start);
}

}  // namespace fcsim::model::xfs
