// What the kernel counted over a recorded run: a bundle's truth.toml.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/common/operation.h"
#include "sim/machine/counter.h"

namespace fcsim::machine {

struct Spread {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
};

// [[stage]]: what one run of the command counted, between an administrator's steps.
struct StageTruth {
  std::string admin;              // the step before it
  std::vector<Counter> counters;  // as in Truth
};

struct Truth {
  std::vector<Counter> counters;               // in the order of model::kernel_counters()
  std::map<std::string, Spread> spread;        // [spread]: what several recordings of the case gave
  std::map<std::string, std::uint64_t> again;  // [again]: a second recording's counters
  std::optional<model::Time> started;          // when the command began
  std::optional<model::Time> read_at;          // when the counters were read
  std::vector<StageTruth> stages;              // empty: one run
};

// Throws InputError with the position of what is not a truth file.
Truth read_truth(const std::string& path);

}  // namespace fcsim::machine
