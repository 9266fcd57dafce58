#include "model/xfs/shared_blocks.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace fcsim::model::xfs {

SharedBlocks::Run SharedBlocks::run_at(std::uint64_t first, std::uint64_t length) const {
  auto next = runs_.upper_bound(first);
  if (next != runs_.begin()) {
    const auto at = std::prev(next);
    const std::uint64_t end = at->first + at->second.length;
    if (end > first) return {std::min(length, end - first), at->second.extra};
  }
  if (next == runs_.end()) return {length, 0};
  return {std::min(length, next->first - first), 0};
}

void SharedBlocks::split(std::uint64_t at) {
  auto next = runs_.upper_bound(at);
  if (next == runs_.begin()) return;
  const auto run = std::prev(next);
  const std::uint64_t end = run->first + run->second.length;
  if (run->first == at || end <= at) return;
  runs_[at] = {end - at, run->second.extra};
  run->second.length = at - run->first;
}

void SharedBlocks::add(std::uint64_t first, std::uint64_t length, std::int64_t by) {
  split(first);
  split(first + length);
  while (length != 0) {
    const Run run = run_at(first, length);
    assert(run.extra + by >= 0);
    if (run.extra + by == 0)
      runs_.erase(first);
    else
      runs_[first] = {run.length, run.extra + by};
    first += run.length;
    length -= run.length;
  }
}

}  // namespace fcsim::model::xfs
