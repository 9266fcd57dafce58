// What takes the chunks of a trace: an engine, or several settings that share one.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "model/common/configuration.h"
#include "sim/engine/engine.h"
#include "sim/engine/prediction.h"
#include "sim/replay/decoder.h"

namespace fcsim::replay {

struct Replayed {
  engine::Prediction prediction;  // without the decoder's reservations
  std::exception_ptr error;       // set instead where the engine refused the configuration
  bool alone = false;  // no answer: the configuration is to be replayed once more, without lanes
};

class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;
  // None of these throws.
  virtual void replay(const OperationChunk& chunk) = 0;
  virtual void finish(model::Time end_of_observation) = 0;
  // One for each configuration, once, behind finish().
  virtual std::vector<Replayed> take() = 0;

 protected:
  static void note_impossible(std::uint64_t calls, engine::Prediction& prediction) {
    if (calls != 0) prediction.unsupported["calls beyond the largest file, left out"] = calls;
  }
};

// One configuration's engine and what became of it.
class EngineRunner final : public Runner {
 public:
  EngineRunner(const model::Configuration& configuration, const TraceDecoder& decoder,
               const engine::EngineOptions& options);
  void replay(const OperationChunk& chunk) override;
  void finish(model::Time end_of_observation) override;
  std::vector<Replayed> take() override;

 private:
  template <class Step>
  void guard(const Step& step);

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<engine::Engine> engine_;
  Replayed result_;
};

}  // namespace fcsim::replay
