// Which settings of a sweep share a file system.
#pragma once

#include <cstddef>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/operation.h"

namespace fcsim::replay::lanes {

// Whether settings with these values can be lanes of one group: what differs is the journal's
// business alone.
[[nodiscard]] bool can_share(const model::Configuration& one, const model::Configuration& other);

// Whether lanes can follow at all: a fast-commit area in use and data that is not journalled.
[[nodiscard]] bool can_be_lane(const model::Configuration& configuration);

// Indices of configurations: each list of `lanes` is a group's, those of `alone` are engines'.
struct Shares {
  std::vector<std::vector<std::size_t>> lanes;
  std::vector<std::size_t> alone;
};

// Each of `threads` gets a group of its own where there are enough settings.
[[nodiscard]] Shares share(const std::vector<const model::Configuration*>& configurations,
                           const model::InitialState& initial, unsigned threads);

// Settings whose lanes could not go along may still go along with each other: those that commit
// alike, as where only the area's size matters of a grid over more. Whether it is worth another
// pass over the trace, after one that answered `answered` of them.
[[nodiscard]] bool worth_another_pass(std::size_t answered);

}  // namespace fcsim::replay::lanes
