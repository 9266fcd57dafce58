// The machine's clocks, in nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

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

}  // namespace fcsim::machine::record
