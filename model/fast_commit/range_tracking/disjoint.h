#pragma once

#include <cstddef>

#include "model/fast_commit/range_tracking/range_tracker.h"

namespace fcsim::model::fast_commit::range_tracking {

// Sorted, non-touching ranges, at most `max_ranges` of them; 0 means without limit.
class Disjoint final : public RangeTracker {
 public:
  Disjoint(std::size_t max_ranges, TrackerOverflow overflow, TrackerStorage storage)
      : max_ranges_(max_ranges), overflow_(overflow), storage_(storage) {}
  [[nodiscard]] bool track(TrackedRanges& ranges, std::uint32_t start,
                           std::uint32_t end) const override;
  [[nodiscard]] std::uint64_t bytes(const TrackedRanges& ranges) const override;

 private:
  [[nodiscard]] bool reduce(TrackedRanges& ranges) const;

  std::size_t max_ranges_;
  TrackerOverflow overflow_;
  TrackerStorage storage_;
};

}  // namespace fcsim::model::fast_commit::range_tracking
