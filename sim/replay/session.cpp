#include "sim/replay/session.h"

#include <utility>

#include "sim/replay/predict_many.h"

namespace fcsim::replay {

Session predict(const SessionRequest& request) {
  PredictManyRequest one;
  one.inputs = request.inputs;
  one.configurations = {request.configuration};
  one.mount_point = request.mount_point;
  one.strict = request.strict;
  one.keep_commits = request.keep_commits;
  one.threads = request.threads;
  Predictions predictions = predict_many(one);
  Outcome& outcome = predictions.outcomes.front();
  if (outcome.error) std::rethrow_exception(outcome.error);
  return {std::move(outcome.configuration), std::move(outcome.prediction),
          std::move(predictions.trace_files), std::move(predictions.warnings)};
}

}  // namespace fcsim::replay
