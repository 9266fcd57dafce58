// Settings that share a file system, as one runner.
#pragma once

#include <memory>
#include <vector>

#include "sim/replay/lanes/lane_group.h"
#include "sim/replay/runner.h"

namespace fcsim::replay::lanes {

class LaneRunner final : public Runner {
 public:
  // All configurations share (sharing.h), can be mounted, and outlive the runner.
  LaneRunner(const std::vector<const model::Configuration*>& configurations,
             const TraceDecoder& decoder, const engine::EngineOptions& options);
  void replay(const OperationChunk& chunk) override;
  void finish(model::Time end_of_observation) override;
  std::vector<Replayed> take() override { return std::move(results_); }
  [[nodiscard]] const LaneStatistics& statistics() const { return statistics_; }

 private:
  template <class Step>
  void guard(const Step& step);

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<LaneGroup> group_;
  std::vector<Replayed> results_;
  LaneStatistics statistics_;
};

}  // namespace fcsim::replay::lanes
