#include "model/fast_commit/range_tracking/disjoint.h"
#include "model/fast_commit/range_tracking/single_span.h"

namespace fcsim::model::fast_commit::range_tracking {

std::unique_ptr<RangeTracker> make_range_tracker(const RangeTrackingRules& rules) {
  switch (rules.policy) {
    case TrackerPolicy::single_span:
      return std::make_unique<SingleSpan>(rules.drop_degenerate);
    case TrackerPolicy::disjoint:
      return std::make_unique<Disjoint>(rules.max_ranges, rules.overflow, rules.storage);
    case TrackerPolicy::unlimited:
      return std::make_unique<Disjoint>(0, rules.overflow, TrackerStorage::tree);
  }
  return nullptr;
}

}  // namespace fcsim::model::fast_commit::range_tracking
