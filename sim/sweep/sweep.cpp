#include "sim/sweep/sweep.h"

#include <algorithm>
#include <utility>

namespace fcsim::sim {
namespace {

constexpr std::size_t kPointsMaximum = 1'000'000;

void check(const std::vector<Parameter>& parameters) {
  std::size_t points = 1;
  std::vector<std::string> seen;
  for (const Parameter& parameter : parameters) {
    if (std::find(seen.begin(), seen.end(), parameter.key) != seen.end())
      throw InputError({"-p " + parameter.key, 0, 0}, "is given twice");
    seen.push_back(parameter.key);
    points *= parameter.values.size();
    if (points > kPointsMaximum)
      throw InputError({"-p", 0, 0},
                       "the grid has more than " + std::to_string(kPointsMaximum) + " points");
  }
}

// All combinations, the last parameter's values changing fastest.
std::vector<std::vector<std::string>> grid(const std::vector<Parameter>& parameters) {
  std::vector<std::vector<std::string>> points = {{}};
  for (const Parameter& parameter : parameters) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : parameter.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace

Sweep sweep(const SweepRequest& request) {
  check(request.parameters);
  Sweep result;
  for (const Parameter& parameter : request.parameters) result.keys.push_back(parameter.key);
  PredictManyRequest many = request.common;
  many.configurations.clear();
  for (std::vector<std::string>& values : grid(request.parameters)) {
    LoadRequest& configuration = many.configurations.emplace_back(request.configuration);
    for (std::size_t i = 0; i < values.size(); ++i)
      configuration.settings.push_back(result.keys[i] + "=" + values[i]);
    result.rows.push_back({std::move(values), {}});
  }
  Predictions predictions = predict_many(many);
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    result.rows[i].outcome = std::move(predictions.outcomes[i]);
  result.warnings = std::move(predictions.warnings);
  return result;
}

}  // namespace fcsim::sim
