// Ends of byte ranges that a damaged trace cannot make overflow.
#pragma once

#include <cstdint>
#include <limits>

namespace fcsim::traces::resolve {

// offset + length, at most the largest number; a length below 0 counts as none.
constexpr std::int64_t end_of(std::int64_t offset, std::int64_t length) noexcept {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (length < 0) return offset;
  return offset > kLargest - length ? kLargest : offset + length;
}

}  // namespace fcsim::traces::resolve
