// What takes the chunks of a trace for one configuration: an engine and what became of it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "model/common/configuration.h"
#include "sim/engine/engine.h"
#include "sim/engine/prediction.h"
#include "sim/replay/decoder.h"

namespace fcsim::replay {

struct Replayed {
  engine::Prediction prediction;  // without what the decoder could not see
  std::exception_ptr error;       // set instead where the engine refused the configuration
};

// None of the functions throws.
class Runner {
 public:
  Runner(const model::Configuration& configuration, const TraceDecoder& decoder,
         const engine::EngineOptions& options);
  void replay(const OperationChunk& chunk);
  void finish(model::Time end_of_observation);
  // After finish(). The answer for another setting, where it would have gone the same way.
  [[nodiscard]] std::optional<Replayed> answer_for(const model::Configuration& setting) const;
  // Once, after all that.
  Replayed take() { return std::move(result_); }

 private:
  template <class Step>
  void guard(const Step& step);

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<engine::Engine> engine_;
  Replayed result_;
};

}  // namespace fcsim::replay
