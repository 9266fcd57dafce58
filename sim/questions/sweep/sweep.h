// A grid of configurations over one trace.
#pragma once

#include <string>
#include <vector>

#include "sim/questions/sweep/parameter.h"
#include "sim/replay/predict_many.h"

namespace fcsim::questions::sweep {

struct SweepRequest {
  // Inputs, threads and so on; its `configurations` are made here.
  replay::PredictManyRequest common;
  configuration::LoadRequest configuration;  // what all points share
  std::vector<Parameter> parameters;         // the grid is their product, the last one fastest
};

struct SweepRow {
  std::vector<std::string> values;  // one for each parameter
  replay::Outcome outcome;          // with an error where the configuration is refused
};

struct Sweep {
  std::vector<std::string> keys;  // of the parameters
  std::vector<SweepRow> rows;     // in the order of the grid
  std::vector<std::string> warnings;
};

// Throws InputError for what is wrong with the trace, for a grid of more than a million points and
// for a key that is given twice.
Sweep sweep(const SweepRequest& request);

}  // namespace fcsim::questions::sweep
