// A counter that lags: one CPU's changes reach the sum that readers see only in batches.
#pragma once

#include <cstdint>

#include "model/common/configuration.h"

namespace fcsim::model::ext4::allocation {

// lib/percpu_counter.c as one CPU changes it, with the batch of [kernel] percpu_batch. What
// percpu_counter_read() returns is off by up to the batch, which shows where ext4 compares it with
// exact numbers (the group of a new directory). A kernel without CONFIG_SMP has a plain number in
// its place (include/linux/percpu_counter.h); seen on user-mode 6.1 and 6.12, whose directories lie
// where exact counters put them.
class PercpuCounter {
 public:
  PercpuCounter(std::int64_t value, const ClockSettings& machine)
      : batch_(machine.smp ? machine.percpu_batch : 1), seen_(value) {}
  void add(std::int64_t amount) {
    local_ += amount;
    if (local_ >= batch_ || local_ <= -batch_) {
      seen_ += local_;
      local_ = 0;
    }
  }
  [[nodiscard]] std::int64_t read() const { return seen_ < 0 ? 0 : seen_; }

 private:
  std::int64_t batch_;
  std::int64_t seen_;
  std::int64_t local_ = 0;
};

}  // namespace fcsim::model::ext4::allocation
