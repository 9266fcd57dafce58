// The smallest number of disjoint ranges an inode that is as good as any.
#include <algorithm>

#include "sim/questions/tune/trials.h"

namespace fcsim::questions::tune {
namespace {

constexpr std::uint64_t kMostRanges = 4096;  // twice what a snapshot may hold in all

Changes limited_to(std::uint64_t ranges) {
  return {"range_tracking.policy=disjoint", "range_tracking.max_ranges=" + std::to_string(ranges)};
}

bool as_good(const JournalCost& cost, const JournalCost& best) {
  return cost.ineligible <= best.ineligible && cost.transactions <= best.transactions &&
         cost.numblks - std::min(cost.numblks, best.numblks) == 0;
}

JournalCost cost_with(Trials& trials, const Changes& changes) {
  const replay::Outcome outcome = trials.run_one(changes);
  return cost_of(outcome.prediction, outcome.configuration.values);
}

// Halves the gap between the last power of two that was too few and the first that was enough.
std::uint64_t search(Trials& trials, RangeAdvice& advice, std::uint64_t too_few,
                     std::uint64_t enough, const JournalCost& best) {
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    advice.points.push_back({middle, cost_with(trials, limited_to(middle))});
    (as_good(advice.points.back().cost, best) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace

RangeAdvice advise_ranges(Trials& trials) {
  RangeAdvice advice;
  std::vector<Changes> changes = {{"range_tracking.policy=unlimited"},
                                  {"range_tracking.policy=single-span"}};
  for (std::uint64_t ranges = 1; ranges <= kMostRanges; ranges *= 2) {
    changes.push_back(limited_to(ranges));
    advice.points.push_back({ranges, {}});
  }
  JournalCost best;
  trials.run(changes, [&](std::size_t i, const replay::Outcome& outcome) {
    JournalCost& cost = i == 0 ? best : i == 1 ? advice.single_span : advice.points[i - 2].cost;
    cost = cost_of(outcome.prediction, outcome.configuration.values);
  });
  const auto enough = std::find_if(advice.points.begin(), advice.points.end(),
                                   [&](const TunePoint& p) { return as_good(p.cost, best); });
  if (enough != advice.points.end()) {
    const std::uint64_t high = enough->value;
    advice.smallest = high == 1 ? 1 : search(trials, advice, high / 2, high, best);
    std::sort(advice.points.begin(), advice.points.end(),
              [](const TunePoint& a, const TunePoint& b) { return a.value < b.value; });
    // Beyond twice of what is enough the table says nothing new.
    std::erase_if(advice.points, [&](const TunePoint& p) { return p.value > 2 * high; });
  }
  advice.points.push_back({0, best});
  return advice;
}

}  // namespace fcsim::questions::tune
