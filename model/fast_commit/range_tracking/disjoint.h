#pragma once

#include <cstddef>

#include "model/fast_commit/range_tracking/range_tracker.h"

namespace fcsim::model::fast_commit::range_tracking {

// Sorted, non-touching ranges, at most `max_ranges` of them; 0 means without limit.
class Disjoint final : public RangeTracker {
 public:
  Disjoint(std::size_t max_ranges, TrackerOverflow overflow, TrackerStorage storage)
      : max_ranges_(max_ranges),
        overflow_(overflow),
        storage_(storage),
        limit_(max_ranges == 0 ? Limit::kNone : static_cast<std::int64_t>(max_ranges)) {}
  [[nodiscard]] bool track(TrackedRanges& ranges, std::uint32_t start,
                           std::uint32_t end) const override;
  // Where the limit takes memory, a tracker with another limit does not do the same.
  [[nodiscard]] bool holds_for(const RangeTrackingRules& rules) const override;
  [[nodiscard]] std::uint64_t bytes(const TrackedRanges& ranges) const override;

 private:
  [[nodiscard]] bool reduce(TrackedRanges& ranges) const;

  std::size_t max_ranges_;
  TrackerOverflow overflow_;
  TrackerStorage storage_;
  Limit limit_;
};

}  // namespace fcsim::model::fast_commit::range_tracking
