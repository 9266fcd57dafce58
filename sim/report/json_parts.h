// Parts of the JSON form that more than one report has.
#pragma once

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"
#include "sim/support/json.h"

namespace fcsim::report {

// The counters that the groups of model::counter_groups() have, and `fast_commit.active`.
void insert_counters(support::Json& root, const engine::Prediction& prediction);

// config, assumed, notes, unsupported: what a prediction rests on.
void insert_basis(support::Json& root, const configuration::LoadedConfiguration& configuration,
                  const engine::Prediction& prediction);

// What `run -f json` prints.
support::Json prediction_json(const configuration::LoadedConfiguration& configuration,
                              const engine::Prediction& prediction);

// An object with a number for each cause that is not 0.
support::Json causes_json(const std::array<std::uint64_t, model::kCauses>& causes);

}  // namespace fcsim::report
