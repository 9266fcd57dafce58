#include "sim/engine/latency.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace fcsim::engine {
namespace {

// Classes below 2^(bits + 1) hold one duration each; above, an octave has 2^bits of them.
std::size_t class_of(std::uint64_t ns, int bits) {
  const int octave = std::max(0, static_cast<int>(std::bit_width(ns)) - bits - 1);
  return (static_cast<std::size_t>(octave) << bits) + static_cast<std::size_t>(ns >> octave);
}

// The lowest duration of a class.
model::Time lower_end(std::size_t index, int bits) {
  const std::size_t parts = std::size_t{1} << bits;
  if (index < 2 * parts) return static_cast<model::Time>(index);
  const std::size_t octave = index / parts - 1;
  return static_cast<model::Time>((parts + index % parts) << octave);
}

}  // namespace

void Distribution::add(model::Time ns) {
  ns = std::max<model::Time>(ns, 0);
  const std::size_t index = class_of(static_cast<std::uint64_t>(ns), kBits);
  if (index >= classes_.size()) classes_.resize(index + 1);
  ++classes_[index];
  ++count_;
  total_ += ns;
  maximum_ = std::max(maximum_, ns);
}

void Distribution::add(const Distribution& other) {
  classes_.resize(std::max(classes_.size(), other.classes_.size()));
  for (std::size_t i = 0; i < other.classes_.size(); ++i) classes_[i] += other.classes_[i];
  count_ += other.count_;
  total_ += other.total_;
  maximum_ = std::max(maximum_, other.maximum_);
}

model::Time Distribution::percentile(double share) const {
  assert(share > 0 && share <= 1);
  if (count_ == 0) return 0;
  auto left = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::size_t index = 0;
  while (index + 1 < classes_.size() && classes_[index] < left) left -= classes_[index++];
  const model::Time first = lower_end(index, kBits);
  const model::Time last = lower_end(index + 1, kBits) - 1;
  return std::min(maximum_, first + (last - first) / 2);
}

std::vector<std::pair<model::Time, std::uint64_t>> Distribution::quarters() const {
  constexpr int bits = 2;
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i] == 0) continue;
    const std::size_t index = class_of(static_cast<std::uint64_t>(lower_end(i, kBits)), bits);
    if (index >= counts.size()) counts.resize(index + 1);
    counts[index] += classes_[i];
  }
  std::vector<std::pair<model::Time, std::uint64_t>> result;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0 || !result.empty()) result.emplace_back(lower_end(i + 1, bits), counts[i]);
  return result;
}

void Latency::add(const SyncTime& call) {
  if (call.recorded >= 0) recorded.add(call.recorded);
  if (!predicted) return;
  times.add(call.duration());
  for (std::size_t i = 0; i < kWaitedFor; ++i) waited[i] += call.waited[i];
}

void Latency::add(const Latency& other) {
  recorded.add(other.recorded);
  predicted |= other.predicted;
  times.add(other.times);
  for (std::size_t i = 0; i < kWaitedFor; ++i) waited[i] += other.waited[i];
}

}  // namespace fcsim::engine
