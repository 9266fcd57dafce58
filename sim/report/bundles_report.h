// What `fcsim run` says of several bundles: a row for each.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/prediction.h"
#include "sim/report/document.h"

namespace fcsim::report {

struct BundlePrediction {
  std::string bundle;
  std::string error;  // why there is no prediction; "": there is one
  engine::Prediction prediction;
};

// The main counters of each, in the order given, and how far each input can be trusted where that
// is not "good".
Document bundles_document(const std::vector<BundlePrediction>& predictions);

}  // namespace fcsim::report
