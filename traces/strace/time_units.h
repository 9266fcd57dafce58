// Nanoseconds of what strace's times are written in.
#pragma once

#include <cstdint>

namespace fcsim::traces::strace {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr std::int64_t kDay = 86'400 * kSecond;

}  // namespace fcsim::traces::strace
