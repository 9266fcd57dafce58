// A limit that a setting gives.
//
// It remembers how much it was asked for. That tells which other limits would have given the same
// answers, and so for which other settings a run holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace fcsim::model {

class Limit {
 public:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  explicit Limit(std::int64_t most) : most_(most) {}

  // Whether so much is within the limit.
  [[nodiscard]] bool allows(std::int64_t amount) const {
    if (amount <= most_) {
      allowed_ = std::max(allowed_, amount);
      return true;
    }
    refused_ = std::min(refused_, amount);
    return false;
  }
  // Whether a limit of `most` would have given every answer so far.
  [[nodiscard]] bool answers_as(std::int64_t most) const {
    return most == most_ || (allowed_ <= most && most < refused_);
  }

 private:
  std::int64_t most_;
  mutable std::int64_t allowed_ = std::numeric_limits<std::int64_t>::min();  // the largest
  mutable std::int64_t refused_ = kNone;                                     // the smallest
};

}  // namespace fcsim::model
