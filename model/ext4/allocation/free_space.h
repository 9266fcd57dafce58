// Free blocks of one block group, with the buddy view that the allocator searches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace fcsim::model::ext4::allocation {

// A run of free blocks, offsets within the group.
struct FreeRun {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t length() const { return end - first; }
  friend bool operator==(const FreeRun&, const FreeRun&) = default;
};

class FreeSpace {
 public:
  explicit FreeSpace(std::uint32_t blocks) : total_(blocks), free_(blocks) {
    if (blocks != 0) runs_.push_back({0, blocks});
  }

  friend bool operator==(const FreeSpace&, const FreeSpace&) = default;

  void take(std::uint32_t first, std::uint32_t length);      // must be free
  void take_any(std::uint32_t first, std::uint32_t length);  // whatever of it is free
  void give(std::uint32_t first, std::uint32_t length);      // must not be free

  [[nodiscard]] std::uint32_t free_blocks() const { return free_; }
  [[nodiscard]] std::uint32_t fragments() const { return static_cast<std::uint32_t>(runs_.size()); }
  // Free blocks in a row from `first` on.
  [[nodiscard]] std::uint32_t free_from(std::uint32_t first) const;
  // Lowest run of at least `length`.
  [[nodiscard]] std::optional<std::uint32_t> first_fit(std::uint32_t length) const;
  // Longest run.
  [[nodiscard]] FreeRun longest() const;
  // Buddy search: the lowest chunk of the smallest order >= `order` that has a free chunk
  // (fs/ext4/mballoc.c:ext4_mb_simple_scan_group).
  [[nodiscard]] std::optional<std::uint32_t> buddy_fit(std::uint32_t order,
                                                       std::uint32_t max_order) const;

 private:
  std::uint32_t total_;
  std::uint32_t free_;
  std::vector<FreeRun> runs_;  // sorted, not touching
};

}  // namespace fcsim::model::ext4::allocation
