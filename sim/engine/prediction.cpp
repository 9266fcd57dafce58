#include "sim/engine/prediction.h"

namespace fcsim::engine {
namespace {

Prediction with_counters(model::Counters counters) {
  Prediction prediction;
  static_cast<model::Counters&>(prediction) = std::move(counters);
  return prediction;
}

}  // namespace

Prediction difference(const Prediction& later, const Prediction& earlier) {
  return with_counters(model::difference(static_cast<const model::Counters&>(later), earlier));
}

Prediction sum(const Prediction& earlier, const Prediction& later) {
  return with_counters(model::sum(static_cast<const model::Counters&>(earlier), later));
}

std::vector<model::NamedCounter> named_counters(const Prediction& prediction) {
  std::vector<model::NamedCounter> counters =
      model::named_counters(static_cast<const model::Counters&>(prediction));
  for (const auto& [what, count] : prediction.unsupported)
    counters.push_back({"unsupported", what, count});
  return counters;
}

}  // namespace fcsim::engine
