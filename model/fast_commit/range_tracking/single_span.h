#pragma once

#include "model/fast_commit/range_tracking/range_tracker.h"

namespace fcsim::model::fast_commit::range_tracking {

class SingleSpan final : public RangeTracker {
 public:
  explicit SingleSpan(bool drop_degenerate) : drop_degenerate_(drop_degenerate) {}
  [[nodiscard]] bool track(TrackedRanges& ranges, std::uint32_t start,
                           std::uint32_t end) const override;
  [[nodiscard]] bool holds_for(const RangeTrackingRules& rules) const override {
    return rules.policy == TrackerPolicy::single_span && rules.drop_degenerate == drop_degenerate_;
  }
  [[nodiscard]] std::uint64_t bytes(const TrackedRanges&) const override { return 8; }

 private:
  bool drop_degenerate_;
};

}  // namespace fcsim::model::fast_commit::range_tracking
