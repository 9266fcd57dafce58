// Decimal digits, read several at a time.
#pragma once

#include <cstdint>
#include <cstring>

namespace fcsim::traces::strace {

// The six digits at `text` as a number; false if they are not all digits. Reads eight bytes: two
// after the digits must be readable.
inline bool take_six_digits(const char* text, std::int64_t& value) {
  std::uint64_t word = 0;
  std::memcpy(&word, text, 8);
  // "00" takes the place of the two foreign bytes, which are shifted out at the other end.
  word = word << 16 | 0x3030;
  const std::uint64_t digits = word ^ 0x3030303030303030U;
  if ((((digits + 0x0606060606060606U) | digits) & 0xf0f0f0f0f0f0f0f0U) != 0) return false;
  // Pairs of digits, then pairs of pairs, in the lanes of one register.
  const std::uint64_t pairs = digits * 10 + (digits >> 8);
  const std::uint64_t outer = (pairs & 0x000000ff000000ffU) * (100 + (1000000ULL << 32));
  const std::uint64_t inner = (pairs >> 16 & 0x000000ff000000ffU) * (1 + (10000ULL << 32));
  value = static_cast<std::int64_t>((outer + inner) >> 32);
  return true;
}

}  // namespace fcsim::traces::strace
