#include "model/common/clock.h"

#include <cassert>

namespace fcsim::model {
namespace {

// Delta from which a timer sits in wheel level n (kernel/time/timer.c: LVL_START).
constexpr std::int64_t level_start(int level) {
  return std::int64_t{63} << ((level - 1) * 3);
}
constexpr int kLevels = 9;

}  // namespace

Clock::Clock(const ClockSettings& settings)
    : hz_(settings.hz),
      tick_ns_(1'000'000'000 / settings.hz),
      tick_phase_(settings.tick_phase_ns.value_or(0)),
      jiffy0_(settings.jiffy0_realtime_ns.value_or(tick_phase_)),
      initial_jiffies_((std::int64_t{1} << 32) - 300 * std::int64_t{settings.hz}) {
  assert(settings.hz > 0);
}

std::int64_t Clock::wheel(std::int64_t now, std::int64_t expires) const {
  const std::int64_t delta = expires - now;
  int level = 0;
  while (level + 1 < kLevels && delta >= level_start(level + 1)) ++level;
  const int shift = 3 * level;
  const std::int64_t absolute = expires + initial_jiffies_;
  return (((absolute + (std::int64_t{1} << shift)) >> shift) << shift) - initial_jiffies_;
}

std::int64_t Clock::round_up_second(std::int64_t jiffy) const {
  const std::int64_t absolute = jiffy + initial_jiffies_;
  return absolute - absolute % hz_ + hz_ - initial_jiffies_;
}

}  // namespace fcsim::model
