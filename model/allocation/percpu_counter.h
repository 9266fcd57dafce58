// A counter that lags: one CPU's changes reach the sum that readers see only in batches.
#pragma once

#include <cstdint>

namespace fcsim::model {

// lib/percpu_counter.c with one CPU; the batch is 32 on machines of up to 16 CPUs. What
// percpu_counter_read() returns is off by up to the batch, which shows where ext4 compares it with
// exact numbers (the group of a new directory).
class PercpuCounter {
 public:
  explicit PercpuCounter(std::int64_t value) : seen_(value) {}
  void add(std::int64_t amount) {
    local_ += amount;
    if (local_ >= kBatch || local_ <= -kBatch) {
      seen_ += local_;
      local_ = 0;
    }
  }
  [[nodiscard]] std::int64_t read() const { return seen_ < 0 ? 0 : seen_; }

 private:
  static constexpr std::int64_t kBatch = 32;
  std::int64_t seen_;
  std::int64_t local_ = 0;
};

}  // namespace fcsim::model
