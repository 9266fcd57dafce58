#include "model/fast_commit/range_tracking/single_span.h"

#include <algorithm>

namespace fcsim::model::fast_commit::range_tracking {

// One span an inode: everything between the lowest and the highest changed block, gaps included
// (fs/ext4/fast_commit.c:__track_range, 6.1 to 7.2).
bool SingleSpan::track(TrackedRanges& ranges, std::uint32_t start, std::uint32_t end) const {
  const bool degenerate = end + std::uint64_t{1} == start;
  if (ranges.empty()) {
    if (!degenerate) ranges.push_back({start, end - std::uint64_t{start} + 1});
    return true;
  }
  if (degenerate && drop_degenerate_) return true;
  // A degenerate call stretches an existing span to the block before `start`.
  TrackedRange& span = ranges.front();
  const std::uint64_t first = std::min<std::uint64_t>(span.start, start);
  const std::uint64_t past = std::max<std::uint64_t>(span.end(), std::uint64_t{end} + 1);
  span = {first, past - first};
  return true;
}

}  // namespace fcsim::model::fast_commit::range_tracking
