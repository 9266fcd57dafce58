// The machine's clocks, in nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>

namespace fcsim::machine::record {

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

inline std::int64_t realtime_ns() {
  return clock_ns(CLOCK_REALTIME);
}

// "1796038591.752132": seconds, cut to microseconds as strace -ttt writes them. Not below 0.
inline std::string seconds_text(std::int64_t nanoseconds) {
  const std::string fraction = std::to_string(nanoseconds % kSecond / 1000);
  return std::to_string(nanoseconds / kSecond) + "." + std::string(6 - fraction.size(), '0') +
         fraction;
}

}  // namespace fcsim::machine::record
