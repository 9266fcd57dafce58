// A prediction against the truth, counter by counter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/prediction.h"
#include "sim/machine/truth.h"

namespace fcsim::questions::validate {

struct ComparedCounter {
  std::string name;
  std::uint64_t predicted = 0;
  std::uint64_t truth = 0;
  bool has_spread = false;  // the recordings themselves differ in this counter
  machine::Spread spread;

  [[nodiscard]] bool exact() const { return predicted == truth; }
  [[nodiscard]] bool within_spread() const {
    return has_spread && predicted >= spread.lowest && predicted <= spread.highest;
  }
  [[nodiscard]] std::int64_t difference() const {
    return static_cast<std::int64_t>(predicted) - static_cast<std::int64_t>(truth);
  }
};

enum class Verdict : std::uint8_t {
  exact,          // every counter equals the kernel's
  within_spread,  // the counters that differ lie in the range of several recordings
  differs,
  failed,   // no prediction: the input is at fault
  skipped,  // nothing to compare, for a reason that is said
};

std::string_view name(Verdict verdict);

// Every counter of either side, in the order of fc_info and jbd2/info. A reason that one side does
// not have counts 0; any other counter that the truth does not have is not compared.
std::vector<ComparedCounter> compare(const engine::Prediction& prediction,
                                     const machine::Truth& truth);

// exact, within_spread or differs.
Verdict judge(const std::vector<ComparedCounter>& counters);

}  // namespace fcsim::questions::validate
