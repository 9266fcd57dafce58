#include "sim/replay/runner.h"

#include <stdexcept>
#include <utility>

#include "sim/replay/impossible.h"
#include "sim/replay/initial_check.h"
#include "sim/replay/make_engine.h"

namespace fcsim::replay {

template <class Step>
void Runner::guard(const Step& step) {
  try {
    step();
  } catch (...) {
    result_.error = std::current_exception();
    engine_.reset();
  }
}

Runner::Runner(const model::Configuration& configuration, const TraceDecoder& decoder,
               const engine::EngineOptions& options)
    : largest_file_(largest_file(configuration.filesystem.block_size)) {
  guard([&] {
    check_initial(decoder.initial(), configuration.filesystem);
    engine_ = make_engine(configuration, decoder.initial(), options);
  });
}

void Runner::replay(const OperationChunk& chunk) {
  if (engine_ == nullptr) return;
  guard([&] {
    for (const model::Operation& operation : chunk) {
      if (is_impossible(operation, largest_file_))
        ++impossible_;
      else
        engine_->replay(operation);
    }
  });
}

void Runner::finish(model::Time end_of_observation) {
  if (engine_ == nullptr) return;
  guard([&] { result_.prediction = engine_->finish(end_of_observation); });
  if (impossible_ != 0)
    result_.prediction.unsupported["calls beyond the largest file, left out"] = impossible_;
}

std::optional<Replayed> Runner::answer_for(const model::Configuration& setting) const {
  if (engine_ == nullptr) return std::nullopt;
  try {
    model::Counters counters = result_.prediction;
    if (!engine_->holds_for(setting, counters)) return std::nullopt;
    Replayed answer = result_;
    static_cast<model::Counters&>(answer.prediction) = std::move(counters);
    return answer;
  } catch (const std::invalid_argument&) {  // no mountable file system: it says so by itself
  }
  return std::nullopt;
}

}  // namespace fcsim::replay
