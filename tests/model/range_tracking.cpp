// What do the range trackers remember? Every policy compared with a slow model over random calls:
// no dirtied block is ever lost, and ranges are merged as the policy says.
#include "model/fast_commit/range_tracking/range_tracker.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/model/random.h"

using namespace fcsim;
using model::RangeTrackingRules;
using model::TrackerOverflow;
using model::TrackerPolicy;
using model::fast_commit::range_tracking::TrackedRange;
using model::fast_commit::range_tracking::TrackedRanges;
using test::Random;

namespace {

using Ranges = std::vector<TrackedRange>;

Ranges list(const TrackedRanges& ranges) {
  return {ranges.begin(), ranges.end()};
}

RangeTrackingRules rules(TrackerPolicy policy, std::uint32_t max_ranges = 16,
                         TrackerOverflow overflow = TrackerOverflow::merge_closest,
                         bool drop_degenerate = true) {
  RangeTrackingRules r;
  r.policy = policy;
  r.max_ranges = max_ranges;
  r.overflow = overflow;
  r.drop_degenerate = drop_degenerate;
  return r;
}

// Blocks as a set; ranges are its runs, and gaps are filled when there are too many.
class SlowTracker {
 public:
  SlowTracker(std::size_t most, TrackerOverflow overflow) : most_(most), overflow_(overflow) {}

  bool track(std::uint64_t start, std::uint64_t end) {
    for (std::uint64_t b = start; b <= end; ++b) blocks_.insert(b);
    const Ranges all = ranges();
    if (most_ == 0 || all.size() <= most_) return true;
    switch (overflow_) {
      case TrackerOverflow::fallback:
        return false;
      case TrackerOverflow::collapse_to_span:
        fill(all.front(), all.back());
        break;
      case TrackerOverflow::merge_last:
        fill(all[all.size() - 2], all.back());
        break;
      case TrackerOverflow::merge_closest: {
        std::size_t best = 0;
        for (std::size_t i = 0; i + 1 < all.size(); ++i)
          if (gap(all, i) < gap(all, best)) best = i;
        fill(all[best], all[best + 1]);
        break;
      }
    }
    return true;
  }

  [[nodiscard]] Ranges ranges() const {
    Ranges runs;
    for (const std::uint64_t b : blocks_) {
      if (runs.empty() || runs.back().end() != b)
        runs.push_back({b, 1});
      else
        ++runs.back().length;
    }
    return runs;
  }

 private:
  static std::uint64_t gap(const Ranges& all, std::size_t i) {
    return all[i + 1].start - all[i].end();
  }
  void fill(const TrackedRange& from, const TrackedRange& to) {
    for (std::uint64_t b = from.start; b < to.end(); ++b) blocks_.insert(b);
  }

  std::size_t most_;
  TrackerOverflow overflow_;
  std::set<std::uint64_t> blocks_;
};

void compare(std::uint64_t seed, const RangeTrackingRules& r, std::uint64_t base,
             std::uint64_t width) {
  Random random(seed);
  const auto tracker = model::fast_commit::range_tracking::make_range_tracker(r);
  const std::size_t most = r.policy == TrackerPolicy::unlimited ? 0 : r.max_ranges;
  SlowTracker expected(most, r.overflow);
  TrackedRanges ranges;
  std::set<std::uint64_t> dirtied;
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t start = base + random.between(0, width - 1);
    const std::uint64_t end = std::min(base + width - 1, start + random.between(0, 3));
    INFO("seed " << seed << ", at most " << most << ", step " << step << ": " << start << ".."
                 << end);
    const bool kept =
        tracker->track(ranges, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end));
    REQUIRE(kept == expected.track(start, end));
    if (!kept) return;
    REQUIRE(list(ranges) == expected.ranges());
    for (std::uint64_t b = start; b <= end; ++b) dirtied.insert(b);
    for (const std::uint64_t b : dirtied)
      REQUIRE(std::any_of(ranges.begin(), ranges.end(), [b](const TrackedRange& range) {
        return range.start <= b && b < range.end();
      }));
  }
}

}  // namespace

TEST_CASE("disjoint ranges, every overflow policy and limit", "[range tracking]") {
  for (const TrackerOverflow overflow :
       {TrackerOverflow::merge_closest, TrackerOverflow::merge_last,
        TrackerOverflow::collapse_to_span, TrackerOverflow::fallback})
    for (const std::uint32_t most : {1U, 2U, 4U, 16U})
      for (std::uint64_t seed = 1; seed <= 15; ++seed)
        compare(seed, rules(TrackerPolicy::disjoint, most, overflow), 0, 300);
}

TEST_CASE("unlimited ranges", "[range tracking]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    compare(seed, rules(TrackerPolicy::unlimited), 0, 300);
}

TEST_CASE("ranges at the end of the block numbers", "[range tracking]") {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    compare(seed, rules(TrackerPolicy::disjoint, 4), 0x100000000ULL - 100, 100);
    compare(seed, rules(TrackerPolicy::unlimited), 0x100000000ULL - 100, 100);
  }
  const auto tracker =
      model::fast_commit::range_tracking::make_range_tracker(rules(TrackerPolicy::disjoint));
  TrackedRanges ranges;
  REQUIRE(tracker->track(ranges, 0xffffffffU, 0xffffffffU));
  REQUIRE(tracker->track(ranges, 0, 0xfffffffdU));  // one block short of it
  CHECK(list(ranges) == Ranges{{0, 0xfffffffeULL}, {0xffffffffULL, 1}});
  REQUIRE(tracker->track(ranges, 0xfffffffeU, 0xfffffffeU));
  CHECK(list(ranges) == Ranges{{0, 0x100000000ULL}});
}

TEST_CASE("a single span is everything between the lowest and the highest block",
          "[range tracking]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const auto tracker =
        model::fast_commit::range_tracking::make_range_tracker(rules(TrackerPolicy::single_span));
    TrackedRanges ranges;
    std::uint64_t low = 0x100000000ULL;
    std::uint64_t high = 0;
    for (int step = 0; step < 50; ++step) {
      const std::uint64_t start = random.one_in(10) ? 0xffffff00ULL : random.between(1000, 100000);
      const std::uint64_t end = start + random.between(0, 0xff);
      low = std::min(low, start);
      high = std::max(high, end);
      INFO("seed " << seed << ", step " << step << ": " << start << ".." << end);
      REQUIRE(tracker->track(ranges, static_cast<std::uint32_t>(start),
                             static_cast<std::uint32_t>(end)));
      REQUIRE(list(ranges) == Ranges{{low, high - low + 1}});
    }
  }
}

// A punch inside one block calls with an end before the start (501, 500 as measured).
TEST_CASE("degenerate calls", "[range tracking]") {
  TrackedRanges ranges;
  const auto kernel = model::fast_commit::range_tracking::make_range_tracker(
      rules(TrackerPolicy::single_span, 16, TrackerOverflow::merge_closest, false));
  REQUIRE(kernel->track(ranges, 501, 500));
  CHECK(ranges.empty());
  REQUIRE(kernel->track(ranges, 10, 12));
  REQUIRE(kernel->track(ranges, 501, 500));
  CHECK(list(ranges) == Ranges{{10, 491}});  // stretched to block 500
  REQUIRE(kernel->track(ranges, 3, 2));
  CHECK(list(ranges) == Ranges{{3, 498}});

  for (const TrackerPolicy policy :
       {TrackerPolicy::single_span, TrackerPolicy::disjoint, TrackerPolicy::unlimited}) {
    const auto dropping = model::fast_commit::range_tracking::make_range_tracker(rules(policy));
    TrackedRanges kept;
    REQUIRE(dropping->track(kept, 501, 500));
    CHECK(kept.empty());
    REQUIRE(dropping->track(kept, 10, 12));
    REQUIRE(dropping->track(kept, 501, 500));
    REQUIRE(dropping->track(kept, 0, 0xffffffffU) == true);  // end + 1 is 2^32, not 0
    CHECK(list(kept) == Ranges{{0, 0x100000000ULL}});
  }
}

TEST_CASE("closest ranges merge, a tie the lower pair", "[range tracking]") {
  const auto tracker =
      model::fast_commit::range_tracking::make_range_tracker(rules(TrackerPolicy::disjoint, 3));
  TrackedRanges ranges;
  for (const std::uint32_t block : {10U, 20U, 30U, 40U})
    REQUIRE(tracker->track(ranges, block, block));
  CHECK(list(ranges) == Ranges{{10, 11}, {30, 1}, {40, 1}});
  REQUIRE(tracker->track(ranges, 33, 33));
  CHECK(list(ranges) == Ranges{{10, 11}, {30, 4}, {40, 1}});
}
