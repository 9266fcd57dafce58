#include "sim/replay/lanes/lane_runner.h"

#include <cassert>
#include <optional>
#include <utility>

#include "sim/replay/impossible.h"

namespace fcsim::replay::lanes {

// What goes wrong may go wrong for one configuration only.
template <class Step>
void LaneRunner::guard(const Step& step) {
  if (group_ == nullptr) return;
  try {
    step();
  } catch (...) {
    for (Replayed& result : results_) result.alone = true;
    group_.reset();
  }
}

LaneRunner::LaneRunner(const std::vector<const model::Configuration*>& configurations,
                       const TraceDecoder& decoder, const engine::EngineOptions& options)
    : largest_file_(largest_file(configurations.front()->filesystem.block_size)),
      group_(std::make_unique<LaneGroup>(configurations, decoder.initial(), options)),
      results_(configurations.size()) {}

void LaneRunner::replay(const OperationChunk& chunk) {
  guard([&] {
    for (const model::Operation& operation : chunk) {
      if (is_impossible(operation, largest_file_))
        ++impossible_;
      else if (!group_->deserted())
        group_->replay(operation);
    }
  });
}

void LaneRunner::finish(model::Time end_of_observation) {
  guard([&] {
    std::vector<std::optional<engine::Prediction>> predictions = group_->finish(end_of_observation);
    assert(predictions.size() == results_.size());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      results_[i].alone = !predictions[i];
      if (!predictions[i]) continue;
      results_[i].prediction = std::move(*predictions[i]);
      note_impossible(impossible_, results_[i].prediction);
    }
    statistics_ = group_->statistics();
  });
  group_.reset();
}

}  // namespace fcsim::replay::lanes
