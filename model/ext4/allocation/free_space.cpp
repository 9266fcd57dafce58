#include "model/ext4/allocation/free_space.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace fcsim::model::ext4::allocation {
namespace {

// The run that ends beyond `block`.
auto run_at(auto& runs, std::uint32_t block) {
  return std::upper_bound(runs.begin(), runs.end(), block,
                          [](std::uint32_t b, const FreeRun& run) { return b < run.end; });
}

}  // namespace

void FreeSpace::take(std::uint32_t first, std::uint32_t length) {
  if (length == 0) return;
  const auto run = run_at(runs_, first);
  assert(run != runs_.end() && run->first <= first && first + length <= run->end);
  free_ -= length;
  const FreeRun old = *run;
  const std::uint32_t end = first + length;
  if (old.first == first && old.end == end) {
    runs_.erase(run);
  } else if (old.first == first) {
    run->first = end;
  } else if (old.end == end) {
    run->end = first;
  } else {
    run->end = first;
    runs_.insert(run + 1, FreeRun{end, old.end});
  }
}

void FreeSpace::take_any(std::uint32_t first, std::uint32_t length) {
  const std::uint32_t end = std::min(first + length, total_);
  while (first < end) {
    const auto run = run_at(runs_, first);
    if (run == runs_.end() || run->first >= end) return;
    const std::uint32_t from = std::max(first, run->first);
    const std::uint32_t to = std::min(end, run->end);
    take(from, to - from);
    first = to;
  }
}

void FreeSpace::give(std::uint32_t first, std::uint32_t length) {
  if (length == 0) return;
  assert(first + length <= total_);
  free_ += length;
  const std::uint32_t end = first + length;
  const auto next = run_at(runs_, first);
  assert(next == runs_.end() || next->first >= end);
  const bool joins_next = next != runs_.end() && next->first == end;
  const bool joins_previous = next != runs_.begin() && (next - 1)->end == first;
  if (joins_previous && joins_next) {
    (next - 1)->end = next->end;
    runs_.erase(next);
  } else if (joins_previous) {
    (next - 1)->end = end;
  } else if (joins_next) {
    next->first = first;
  } else {
    runs_.insert(next, FreeRun{first, end});
  }
}

std::uint32_t FreeSpace::free_from(std::uint32_t first) const {
  const auto run = run_at(runs_, first);
  return run != runs_.end() && run->first <= first ? run->end - first : 0;
}

std::optional<std::uint32_t> FreeSpace::first_fit(std::uint32_t length) const {
  for (const FreeRun& run : runs_)
    if (run.length() >= length) return run.first;
  return std::nullopt;
}

FreeRun FreeSpace::longest() const {
  FreeRun best;
  for (const FreeRun& run : runs_)
    if (run.length() > best.length()) best = run;
  return best;
}

std::optional<std::uint32_t> FreeSpace::buddy_fit(std::uint32_t order,
                                                  std::uint32_t max_order) const {
  std::optional<std::uint32_t> best;
  std::uint32_t best_order = max_order + 1;
  for (const FreeRun& run : runs_) {
    if (run.length() < (1U << order)) continue;
    // A run falls apart into chunks: each as large as its start's alignment and its end allow.
    for (std::uint32_t block = run.first; block < run.end;) {
      const auto aligned =
          block == 0 ? max_order : static_cast<std::uint32_t>(std::countr_zero(block));
      const auto fits = static_cast<std::uint32_t>(std::bit_width(run.end - block)) - 1;
      const std::uint32_t chunk = std::min({aligned, fits, max_order});
      if (chunk >= order && chunk < best_order) {
        best = block;
        best_order = chunk;
        if (chunk == order) return best;
      }
      block += 1U << chunk;
    }
  }
  return best;
}

}  // namespace fcsim::model::ext4::allocation
