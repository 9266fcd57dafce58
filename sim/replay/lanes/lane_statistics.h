// How lanes fared, for tests and benchmarks: no answer depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fcsim::replay::lanes {

// Why a lane must be replayed alone.
enum class Divergence : std::uint8_t {
  other_call,        // it asked for another call than the leader
  ahead,             // ... for one that the leader had not come to
  other_time,        // ... at a time at which the call may do something else
  looked_back,       // it looked at a file that the leader had changed since
  freed_blocks,      // other freed blocks could be allocated again
  reservations,      // a handle had to wait for reserved credits
  sync_tid,          // which transaction an inode belongs to is not clear
  beyond,            // something that is not written down
  behind,            // calls were left over at the end
  unequal_journals,  // the allocator looked where the journals differ
  mostly_awake,      // none: it had to replay nearly every call, as an engine of its own does
};
inline constexpr std::size_t kDivergences = 11;
inline constexpr std::array<std::string_view, kDivergences> kDivergenceNames = {
    "other_call", "ahead",  "other_time", "looked_back",      "freed_blocks", "reservations",
    "sync_tid",   "beyond", "behind",     "unequal_journals", "mostly_awake"};

struct LaneStatistics {
  std::uint64_t lanes = 0;
  std::uint64_t passed_over = 0;  // intervals between two sync calls, times lanes
  std::uint64_t awakened = 0;     // times that a lane had to be replayed call by call
  std::array<std::uint64_t, kDivergences> diverged{};

  [[nodiscard]] std::uint64_t all_diverged() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : diverged) sum += count;
    return sum;
  }
  void add(const LaneStatistics& other) {
    lanes += other.lanes;
    passed_over += other.passed_over;
    awakened += other.awakened;
    for (std::size_t i = 0; i < kDivergences; ++i) diverged[i] += other.diverged[i];
  }
};

}  // namespace fcsim::replay::lanes
