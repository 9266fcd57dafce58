// How long fast commits took on the machine that a trace was recorded on, as far as it has been
// replayed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/common/configuration.h"
#include "model/common/operation.h"

namespace fcsim::engine {

// A device answers in its latency plus what a request waited in queues, which is never negative, so
// the latency lies at the lower end of the times seen: a low quantile, as a few of them start from
// a wrong guess of when the call's data was written ([timing] says which, and how many times are
// enough). Counts by size, eight classes an octave, so that memory does not grow with the trace.
class CommitTimes {
 public:
  explicit CommitTimes(const model::TimingSettings& settings)
      : percent_(static_cast<std::uint64_t>(settings.shortest_commit_percent)),
        enough_(static_cast<std::uint64_t>(settings.shortest_commit_samples)) {}

  void add(model::Time ns) {
    if (ns <= 0) return;
    ++classes_[class_of(ns)];
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool known() const { return count_ >= enough_; }
  // The upper end of the class that the quantile falls into.
  [[nodiscard]] model::Time shortest() const {
    std::uint64_t left = count_ * percent_ / 100 + 1;
    std::size_t i = 0;
    while (i + 1 < classes_.size() && classes_[i] < left) left -= classes_[i++];
    return lower_end(i + 1);
  }

 private:
  static constexpr std::size_t kBits = 3;
  static constexpr std::size_t kParts = std::size_t{1} << kBits;  // of an octave

  static std::size_t class_of(model::Time ns) {
    const auto value = static_cast<std::uint64_t>(std::max<model::Time>(ns, kParts));
    const std::size_t octave = static_cast<std::size_t>(std::bit_width(value)) - kBits - 1;
    return octave * kParts + ((value >> octave) & (kParts - 1));
  }
  static model::Time lower_end(std::size_t index) {
    return static_cast<model::Time>((kParts + index % kParts) << (index / kParts));
  }

  std::uint64_t percent_;
  std::uint64_t enough_;
  std::array<std::uint64_t, (64 - kBits) * kParts> classes_{};
  std::uint64_t count_ = 0;
};

}  // namespace fcsim::engine
