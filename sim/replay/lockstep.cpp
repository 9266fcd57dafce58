#include "sim/replay/lockstep.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/support/crew.h"

namespace fcsim::replay {

std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, std::vector<OperationChunk> begun,
    const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (const model::Configuration* configuration : configurations)
    runners.push_back(std::make_unique<Runner>(*configuration, decoder, options.engine));

  // While the engines take one chunk, the next one is decoded; so two threads serve one engine too.
  support::Crew crew(
      std::min<unsigned>(options.threads, static_cast<unsigned>(runners.size()) + 1));
  OperationChunk current;
  OperationChunk following;
  std::uint64_t replayed = 0;
  for (OperationChunk& chunk : begun) {
    crew.run(
        runners.size(), [&](std::size_t i) { runners[i]->replay(chunk); }, [] {});
    replayed += chunk.size();
    chunk = {};
    if (options.progress) options.progress(replayed);
  }
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

  std::vector<Replayed> results;
  for (const std::unique_ptr<Runner>& runner : runners) results.push_back(runner->take());
  return results;
}

}  // namespace fcsim::replay
