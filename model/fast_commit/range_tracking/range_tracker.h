// How one inode remembers which of its blocks changed in the running transaction.
//
// The kernel calls the range hook whenever blocks are mapped, converted or freed; what it keeps of
// those calls decides how long the walk of the next fast commit is. Policies differ between kernels
// and patches, so each is an implementation of one interface, chosen by `[range_tracking] policy`.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>

#include "model/common/configuration.h"
#include "model/common/limit.h"

namespace fcsim::model::fast_commit::range_tracking {

// An inclusive range of logical blocks, 64-bit as the sums first + length can pass 2^32.
struct TrackedRange {
  std::uint64_t start = 0;
  std::uint64_t length = 0;
  [[nodiscard]] std::uint64_t end() const { return start + length; }  // one past the last
  friend bool operator==(const TrackedRange&, const TrackedRange&) = default;
};

// What an inode holds: sorted by start. Length-0 entries do not occur.
using TrackedRanges = boost::container::small_vector<TrackedRange, 1>;

class RangeTracker {
 public:
  virtual ~RangeTracker() = default;

  // Blocks start..end inclusive changed. `end` may be start - 1: a degenerate call, as a punch
  // inside one block makes (fs/ext4/fast_commit.c:__track_range).
  // False when the policy gives up on the inode (overflow = "fallback").
  [[nodiscard]] virtual bool track(TrackedRanges& ranges, std::uint32_t start,
                                   std::uint32_t end) const = 0;

  // Whether a tracker by other rules would have done the same so far.
  [[nodiscard]] virtual bool holds_for(const RangeTrackingRules& rules) const = 0;

  // Memory that the ranges take in the kernel's inode, in bytes, by `[range_tracking] storage`.
  [[nodiscard]] virtual std::uint64_t bytes(const TrackedRanges& ranges) const = 0;
};

[[nodiscard]] std::unique_ptr<RangeTracker> make_range_tracker(const RangeTrackingRules& rules);

}  // namespace fcsim::model::fast_commit::range_tracking
