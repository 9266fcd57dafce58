#include "sim/replay/shared_runs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "sim/support/crew.h"

namespace fcsim::replay {

SharedRuns replay_shared(const TraceDecoder& decoder, const KeptTrace& trace,
                         const std::vector<const model::Configuration*>& configurations,
                         const engine::EngineOptions& options, unsigned threads,
                         const std::function<void(std::size_t)>& progress) {
  SharedRuns shared;
  shared.results.resize(configurations.size());
  std::vector<std::size_t> open(configurations.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  support::Crew crew(std::min(threads, static_cast<unsigned>(configurations.size())));
  while (!open.empty()) {
    // Settings far apart, as neighbours often go the same way.
    const std::size_t count = std::min<std::size_t>(threads, open.size());
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < count; ++k) chosen.push_back(open[k * open.size() / count]);
    std::vector<std::unique_ptr<Runner>> runners(count);
    crew.run(
        count,
        [&](std::size_t k) {
          runners[k] = std::make_unique<Runner>(*configurations[chosen[k]], decoder, options);
          for (const OperationChunk& chunk : trace.chunks) runners[k]->replay(chunk);
          runners[k]->finish(trace.end);
        },
        [] {});
    shared.runs += count;
    std::erase_if(open, [&](std::size_t setting) {
      if (std::find(chosen.begin(), chosen.end(), setting) != chosen.end()) return true;
      for (const std::unique_ptr<Runner>& runner : runners)
        if (std::optional<Replayed> answer = runner->answer_for(*configurations[setting])) {
          shared.results[setting] = std::move(*answer);
          return true;
        }
      return false;
    });
    for (std::size_t k = 0; k < count; ++k) shared.results[chosen[k]] = runners[k]->take();
    if (progress) progress(configurations.size() - open.size());
  }
  return shared;
}

}  // namespace fcsim::replay
