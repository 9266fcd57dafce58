#include "sim/replay/lockstep.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/replay/crew.h"
#include "sim/replay/impossible.h"
#include "sim/replay/initial_check.h"

namespace fcsim::sim {
namespace {

// One configuration's engine and what became of it.
class Runner {
 public:
  Runner(const model::Configuration& configuration, const TraceDecoder& decoder,
         EngineOptions options)
      : largest_file_(std::int64_t{0xffffffff} * configuration.filesystem.block_size) {
    guard([&] {
      check_initial(decoder.initial(), configuration.filesystem);
      engine_ = std::make_unique<Engine>(configuration, decoder.initial(), options);
    });
  }

  void replay(const OperationChunk& chunk) {
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

  void finish(model::Time end) {
    if (engine_ == nullptr) return;
    guard([&] { result_.prediction = engine_->finish(end); });
    if (impossible_ != 0)
      result_.prediction.unsupported["calls beyond the largest file, left out"] = impossible_;
    engine_.reset();
  }

  Replayed take() { return std::move(result_); }

 private:
  template <class Step>
  void guard(const Step& step) {
    try {
      step();
    } catch (...) {
      result_.error = std::current_exception();
      engine_.reset();
    }
  }

  std::int64_t largest_file_;
  std::uint64_t impossible_ = 0;
  std::unique_ptr<Engine> engine_;
  Replayed result_;
};

}  // namespace

std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options) {
  std::vector<Runner> runners;
  runners.reserve(configurations.size());
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    EngineOptions engine = options.engine;
    if (!options.measure_commits.empty()) engine.measure_commits = options.measure_commits[i];
    runners.emplace_back(*configurations[i], decoder, engine);
  }

  // While the engines take one chunk, the next one is decoded; so two threads serve one engine too.
  Crew crew(std::min<unsigned>(options.threads, static_cast<unsigned>(runners.size()) + 1));
  OperationChunk current;
  OperationChunk following;
  std::uint64_t replayed = 0;
  for (bool more = decoder.next(current); more; std::swap(current, following)) {
    crew.run(
        runners.size(), [&](std::size_t i) { runners[i].replay(current); },
        [&] { more = decoder.next(following); });
    replayed += current.size();
    if (options.progress) options.progress(replayed);
  }
  const model::Time end = end_of_observation(decoder.end());
  crew.run(
      runners.size(), [&](std::size_t i) { runners[i].finish(end); }, [] {});

  std::vector<Replayed> results;
  results.reserve(runners.size());
  for (Runner& runner : runners) results.push_back(runner.take());
  return results;
}

}  // namespace fcsim::sim
