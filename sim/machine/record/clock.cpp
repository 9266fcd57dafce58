// Where the machine's ticks lie: found by looking at its clocks.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sim/machine/record/environment.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"

namespace fcsim::machine::record {
namespace {

// The coarse clock steps at each tick, so its resolution is the tick's length.
std::int32_t ticks_a_second() {
  timespec resolution{};
  clock_getres(CLOCK_REALTIME_COARSE, &resolution);
  const std::int64_t tick = std::int64_t{resolution.tv_sec} * kSecond + resolution.tv_nsec;
  return tick <= 0 ? 250 : static_cast<std::int32_t>(std::llround(1e9 / static_cast<double>(tick)));
}

// Where within a tick's length the coarse clock steps: it shows the time at which it did. Of many
// steps one seen with little delay is taken, as the clock is corrected a little all the time.
struct Ticks {
  std::int64_t phase = 0;
  std::int64_t lag = 0;  // by which the clock's value is before the moment at which it steps
};

Ticks look_at_ticks(std::int64_t tick) {
  constexpr std::size_t kSteps = 50;
  std::vector<std::int64_t> delays;
  std::int64_t last = clock_ns(CLOCK_REALTIME_COARSE);
  while (delays.size() < kSteps) {
    const std::int64_t coarse = clock_ns(CLOCK_REALTIME_COARSE);
    const std::int64_t fine = realtime_ns();
    if (coarse == last) continue;
    delays.push_back(fine - coarse);
    last = coarse;
  }
  std::sort(delays.begin(), delays.end());
  const std::int64_t lag = delays[kSteps / 20];
  return {(last + lag) % tick, lag};
}

// The number after `label`, the largest where it stands several times.
std::optional<std::int64_t> largest_behind(const std::string& text, const std::string& label) {
  std::optional<std::int64_t> largest;
  for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
    std::int64_t value = 0;
    const char* const digits = text.data() + at + label.size();
    if (std::from_chars(digits, text.data() + text.size(), value).ec == std::errc{})
      largest = std::max(value, largest.value_or(value));
  }
  return largest;
}

// CLOCK_REALTIME at jiffy 0, from /proc/timer_list. The count of jiffies is read up to a tick late,
// which the phase puts right. Counting starts 300 seconds before 32 bits wrap.
std::optional<std::int64_t> realtime_of_jiffy0(std::int32_t hz, std::int64_t phase) {
  const std::int64_t tick = kSecond / hz;
  const std::optional<std::string> list = read_small_file("/proc/timer_list");
  const std::int64_t real = realtime_ns();
  const std::int64_t monotonic = clock_ns(CLOCK_MONOTONIC);
  if (!list) return std::nullopt;
  const auto now = largest_behind(*list, "\nnow at ");
  const auto jiffies = largest_behind(*list, "\njiffies: ");
  if (!now || !jiffies) return std::nullopt;
  const std::int64_t counted = *jiffies - ((std::int64_t{1} << 32) - 300 * std::int64_t{hz});
  const std::int64_t late = real - monotonic + *now - counted * tick;
  const std::int64_t distance = ((late - phase + tick / 8) % tick + tick) % tick - tick / 8;
  return late - distance;
}

}  // namespace

model::ClockSettings read_clock() {
  model::ClockSettings clock;
  clock.hz = ticks_a_second();
  const Ticks ticks = look_at_ticks(kSecond / clock.hz);
  clock.tick_phase_ns = ticks.phase;
  clock.tick_value_lag_ns = ticks.lag;
  clock.jiffy0_realtime_ns = realtime_of_jiffy0(clock.hz, ticks.phase);
  return clock;
}

}  // namespace fcsim::machine::record
