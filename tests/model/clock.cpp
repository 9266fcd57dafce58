// Do ticks, jiffies and timers fall where the kernel's do?
#include "model/common/clock.h"

#include "tests/catch.h"
#include "tests/model/parts.h"

using namespace fcsim;
using test::kSecondNs;

namespace {

model::Clock clock_of(std::int32_t hz, model::Time tick_phase, model::Time jiffy0) {
  model::ClockSettings settings;
  settings.hz = hz;
  settings.tick_phase_ns = tick_phase;
  settings.jiffy0_realtime_ns = jiffy0;
  return model::Clock(settings);
}

}  // namespace

TEST_CASE("the coarse clock steps at the tick's phase", "[model]") {
  const model::Clock clock = clock_of(250, 1'000'000, 0);
  CHECK(clock.tick_ns() == 4'000'000);
  CHECK(clock.coarse(1'000'000) == 1'000'000);
  CHECK(clock.coarse(4'999'999) == 1'000'000);
  CHECK(clock.coarse(5'000'000) == 5'000'000);
  CHECK(clock.coarse(0) == -3'000'000);  // the tick began before time 0
}

TEST_CASE("jiffies count from boot, and a jiffy's time leads back to it", "[model]") {
  const model::Clock clock = clock_of(1000, 0, 7 * kSecondNs + 123);
  CHECK(clock.jiffies(7 * kSecondNs + 123) == 0);
  CHECK(clock.jiffies(7 * kSecondNs + 122) == -1);
  CHECK(clock.jiffies(8 * kSecondNs + 123) == 1000);
  for (const std::int64_t jiffy : {0, 1, 999, 123456})
    CHECK(clock.jiffies(clock.time_of_jiffy(jiffy)) == jiffy);
  CHECK(clock.jiffies_of_seconds(5) == 5000);
  CHECK(clock.jiffies_of_centisecs(3000) == 30000);
}

TEST_CASE("a timer fires at the end of its wheel level's step", "[model]") {
  // Levels begin at 63, 504 and 4032 jiffies and step by 1, 8, 64 and 512 (kernel/time/timer.c).
  // jiffies began at 2^32 - 300 s, which at 250 Hz is a multiple of 8 and 64 less 56.
  const model::Clock clock = clock_of(250, 0, 0);
  CHECK(clock.wheel(0, 62) == 63);
  const auto step_of = [&](std::int64_t delta) {
    std::int64_t before = clock.wheel(0, delta);
    std::int64_t later = delta;
    while (clock.wheel(0, later) == before) ++later;
    return clock.wheel(0, later) - before;
  };
  CHECK(step_of(10) == 1);
  CHECK(step_of(100) == 8);
  CHECK(step_of(1454) == 64);
  CHECK(step_of(10000) == 512);
  for (const std::int64_t delta : {1, 64, 500, 505, 4000, 4100, 30000})
    CHECK(clock.wheel(0, delta) > delta);  // never early
}

TEST_CASE("a rounded timer fires on a whole second of the kernel's own counter", "[model]") {
  const model::Clock clock = clock_of(250, 0, 0);
  // 2^32 - 300 * 250 leaves 46 when divided by 250.
  CHECK(clock.round_up_second(0) == 204);
  CHECK(clock.round_up_second(203) == 204);
  CHECK(clock.round_up_second(204) == 454);  // strictly later
}
