#include "sim/replay/lockstep.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/replay/lanes/lane_runner.h"
#include "sim/replay/lanes/sharing.h"
#include "sim/support/crew.h"

namespace fcsim::replay {
namespace {

// Who replays what.
struct Cast {
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<std::vector<std::size_t>> members;  // of each runner: indices of configurations
  std::vector<const lanes::LaneRunner*> lanes;    // among the runners
};

Cast cast(const TraceDecoder& decoder,
          const std::vector<const model::Configuration*>& configurations,
          const LockstepOptions& options) {
  lanes::Shares shares;
  if (options.lanes) {
    shares = lanes::share(configurations, decoder.initial(), options.threads);
  } else {
    shares.alone.resize(configurations.size());
    std::iota(shares.alone.begin(), shares.alone.end(), std::size_t{0});
  }
  Cast cast;
  for (const std::vector<std::size_t>& lanes : shares.lanes) {
    std::vector<const model::Configuration*> those;
    for (const std::size_t i : lanes) those.push_back(configurations[i]);
    auto runner = std::make_unique<lanes::LaneRunner>(those, decoder, options.engine);
    cast.lanes.push_back(runner.get());
    cast.runners.push_back(std::move(runner));
    cast.members.push_back(lanes);
  }
  for (const std::size_t i : shares.alone) {
    cast.runners.push_back(
        std::make_unique<EngineRunner>(*configurations[i], decoder, options.engine));
    cast.members.push_back({i});
  }
  return cast;
}

}  // namespace

std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options) {
  const Cast parts = cast(decoder, configurations, options);
  const auto& runners = parts.runners;

  // While the engines take one chunk, the next one is decoded; so two threads serve one engine too.
  support::Crew crew(
      std::min<unsigned>(options.threads, static_cast<unsigned>(runners.size()) + 1));
  OperationChunk current;
  OperationChunk following;
  std::uint64_t replayed = 0;
  for (bool more = decoder.next(current); more; std::swap(current, following)) {
    crew.run(
        runners.size(), [&](std::size_t i) { runners[i]->replay(current); },
        [&] { more = decoder.next(following); });
    replayed += current.size();
    if (options.progress) options.progress(replayed);
  }
  const model::Time end = end_of_observation(decoder.end());
  crew.run(
      runners.size(), [&](std::size_t i) { runners[i]->finish(end); }, [] {});

  std::vector<Replayed> results(configurations.size());
  for (std::size_t r = 0; r < runners.size(); ++r) {
    std::vector<Replayed> taken = runners[r]->take();
    for (std::size_t k = 0; k < taken.size(); ++k)
      results[parts.members[r][k]] = std::move(taken[k]);
  }
  if (options.lane_statistics != nullptr)
    for (const lanes::LaneRunner* lanes : parts.lanes)
      options.lane_statistics->add(lanes->statistics());
  return results;
}

}  // namespace fcsim::replay
