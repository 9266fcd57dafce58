#include "sim/questions/sweep/sweep.h"

#include <utility>

namespace fcsim::questions::sweep {
Sweep sweep(const SweepRequest& request) {
  Sweep result;
  for (const Parameter& parameter : request.parameters) result.keys.push_back(parameter.key);
  replay::PredictManyRequest many = request.common;
  many.configurations.clear();
  for (std::vector<std::string>& values : grid(request.parameters)) {
    configuration::LoadRequest& configuration =
        many.configurations.emplace_back(request.configuration);
    for (std::size_t i = 0; i < values.size(); ++i)
      configuration.settings.push_back(result.keys[i] + "=" + values[i]);
    result.rows.push_back({std::move(values), {}});
  }
  replay::Predictions predictions = predict_many(many);
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    result.rows[i].outcome = std::move(predictions.outcomes[i]);
  result.warnings = std::move(predictions.warnings);
  return result;
}

}  // namespace fcsim::questions::sweep
