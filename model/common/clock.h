// The kernel's clocks as a function of CLOCK_REALTIME: ticks, jiffies and the timer wheel.
// Pure arithmetic; nothing here reads a clock.
#pragma once

#include <cstdint>

#include "model/common/configuration.h"
#include "model/common/operation.h"

namespace fcsim::model {

class Clock {
 public:
  explicit Clock(const ClockSettings& settings);

  // The coarse clock's value at `now`: the start of the running tick (kernel/time/timekeeping.c).
  [[nodiscard]] Time coarse(Time now) const {
    const Time ticks = floor_divide(now - tick_phase_, tick_ns_);
    return ticks * tick_ns_ + tick_phase_;
  }

  // Jiffies since boot at `now`, and when a jiffy begins.
  [[nodiscard]] std::int64_t jiffies(Time now) const {
    return floor_divide(now - jiffy0_, tick_ns_);
  }
  [[nodiscard]] Time time_of_jiffy(std::int64_t jiffy) const { return jiffy0_ + jiffy * tick_ns_; }

  // When a timer fires that was armed at jiffy `now` for the absolute jiffy `expires`:
  // the first multiple of its wheel level's granularity above it (kernel/time/timer.c:calc_index).
  [[nodiscard]] std::int64_t wheel(std::int64_t now, std::int64_t expires) const;

  // round_jiffies_up for CPU 0: the next whole second of jiffies, strictly above
  // (kernel/time/timer.c).
  [[nodiscard]] std::int64_t round_up_second(std::int64_t jiffy) const;

  [[nodiscard]] std::int64_t jiffies_of_seconds(std::int64_t seconds) const {
    return seconds * hz_;
  }
  [[nodiscard]] std::int64_t jiffies_of_centisecs(std::int64_t centisecs) const {
    return centisecs * hz_ / 100;
  }
  [[nodiscard]] Time tick_ns() const { return tick_ns_; }

 private:
  static std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a < 0)) ? 1 : 0);
  }

  std::int64_t hz_;
  Time tick_ns_;
  Time tick_phase_;
  Time jiffy0_;
  std::int64_t initial_jiffies_;  // jiffies is a counter that starts 300 s before its 32-bit wrap
};

}  // namespace fcsim::model
