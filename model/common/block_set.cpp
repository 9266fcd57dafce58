#include "model/common/block_set.h"

#include <algorithm>
#include <cassert>

namespace fcsim::model {

BlockSet::Runs::const_iterator BlockSet::from(std::uint64_t block) const {
  return std::upper_bound(runs_.begin(), runs_.end(), block,
                          [](std::uint64_t b, const BlockRun& run) { return b < run.end; });
}

bool BlockSet::contains(std::uint64_t block) const {
  const auto run = from(block);
  return run != runs_.end() && run->first <= block;
}

std::uint64_t BlockSet::count() const {
  std::uint64_t sum = 0;
  for (const BlockRun& run : runs_) sum += run.length();
  return sum;
}

void BlockSet::insert(std::uint64_t first, std::uint64_t end) {
  assert(first <= end);
  if (first == end) return;
  if (runs_.empty() || first > runs_.back().end) {  // appending is the common case
    runs_.push_back({first, end});
    return;
  }
  if (first >= runs_.back().first) {
    runs_.back().end = std::max(runs_.back().end, end);
    return;
  }
  // The first run that touches or overlaps [first, end), and one past the last.
  auto low = std::lower_bound(runs_.begin(), runs_.end(), first,
                              [](const BlockRun& run, std::uint64_t b) { return run.end < b; });
  auto high = low;
  while (high != runs_.end() && high->first <= end) {
    first = std::min(first, high->first);
    end = std::max(end, high->end);
    ++high;
  }
  if (low == high) {
    runs_.insert(low, BlockRun{first, end});
    return;
  }
  *low = {first, end};
  runs_.erase(low + 1, high);
}

void BlockSet::erase(std::uint64_t first, std::uint64_t end) {
  assert(first <= end);
  if (first == end) return;
  auto run = runs_.begin() + (from(first) - runs_.begin());
  while (run != runs_.end() && run->first < end) {
    const BlockRun old = *run;
    if (old.first < first && old.end > end) {
      run->end = first;
      runs_.insert(run + 1, BlockRun{end, old.end});
      return;
    }
    if (old.first < first) {
      run->end = first;
      ++run;
    } else if (old.end > end) {
      run->first = end;
      return;
    } else {
      run = runs_.erase(run);
    }
  }
}

}  // namespace fcsim::model
