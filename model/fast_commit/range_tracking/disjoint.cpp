#include "model/fast_commit/range_tracking/disjoint.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model::fast_commit::range_tracking {
namespace {

// Covers `from` up to and including `to` and the gaps between by one range.
void merge(TrackedRanges& ranges, std::size_t from, std::size_t to) {
  assert(from <= to && to < ranges.size());
  ranges[from].length = ranges[to].end() - ranges[from].start;
  ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(from) + 1,
               ranges.begin() + static_cast<std::ptrdiff_t>(to) + 1);
}

std::size_t closest_pair(const TrackedRanges& ranges) {
  std::size_t best = 0;
  for (std::size_t i = 1; i + 1 < ranges.size(); ++i)
    if (ranges[i + 1].start - ranges[i].end() < ranges[best + 1].start - ranges[best].end())
      best = i;  // strictly closer: a tie keeps the lowest offset
  return best;
}

}  // namespace

// Insert in order, join what overlaps or touches, then reduce once when over the limit (RFC v3
// "ext4: speed up fast commit on random writes"; degenerate calls are dropped there).
bool Disjoint::track(TrackedRanges& ranges, std::uint32_t start, std::uint32_t end) const {
  if (end + std::uint64_t{1} == start) return true;
  std::uint64_t first = start;
  std::uint64_t past = std::uint64_t{end} + 1;
  auto low = std::lower_bound(ranges.begin(), ranges.end(), first,
                              [](const TrackedRange& r, std::uint64_t b) { return r.end() < b; });
  auto high = low;
  while (high != ranges.end() && high->start <= past) {
    first = std::min(first, high->start);
    past = std::max(past, high->end());
    ++high;
  }
  if (low != high) {
    *low = {first, past - first};
    ranges.erase(low + 1, high);
    return true;
  }
  ranges.insert(low, TrackedRange{first, past - first});
  return limit_.allows(static_cast<std::int64_t>(ranges.size())) || reduce(ranges);
}

bool Disjoint::holds_for(const RangeTrackingRules& rules) const {
  const bool unlimited = rules.policy == TrackerPolicy::unlimited || rules.max_ranges == 0;
  const std::size_t most = unlimited ? 0 : rules.max_ranges;
  if (rules.policy == TrackerPolicy::single_span || rules.overflow != overflow_) return false;
  if (rules.policy == TrackerPolicy::unlimited ? storage_ != TrackerStorage::tree
                                               : storage_ != rules.storage)
    return false;
  if (most == max_ranges_) return true;
  return storage_ != TrackerStorage::lazy_array &&
         limit_.answers_as(unlimited ? Limit::kNone : static_cast<std::int64_t>(most));
}

bool Disjoint::reduce(TrackedRanges& ranges) const {
  assert(ranges.size() == max_ranges_ + 1);
  switch (overflow_) {
    case TrackerOverflow::merge_closest: {
      const std::size_t pair = closest_pair(ranges);
      merge(ranges, pair, pair + 1);
      return true;
    }
    case TrackerOverflow::merge_last:
      merge(ranges, ranges.size() - 2, ranges.size() - 1);
      return true;
    case TrackerOverflow::collapse_to_span:
      merge(ranges, 0, ranges.size() - 1);
      return true;
    case TrackerOverflow::fallback:
      return false;
  }
  return false;
}

std::uint64_t Disjoint::bytes(const TrackedRanges& ranges) const {
  constexpr std::uint64_t range_bytes = 8;  // two 32-bit block numbers
  switch (storage_) {
    case TrackerStorage::inlined:
      return (max_ranges_ + 1) * range_bytes + 4;
    case TrackerStorage::lazy_array:  // one inline range, a pointer and a count; array when needed
      return range_bytes + 8 + 4 + (ranges.size() > 1 ? (max_ranges_ + 1) * range_bytes : 0);
    case TrackerStorage::tree:
      return 8 + ranges.size() * (24 + range_bytes);  // rb_node a range
  }
  return 0;
}

}  // namespace fcsim::model::fast_commit::range_tracking
