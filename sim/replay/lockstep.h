// Many configurations over one trace: each chunk of operations is decoded once and taken by every
// engine in turn, on as many threads as there are. Engines share nothing, so the threads change
// nothing about the answers.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "model/configuration.h"
#include "sim/engine.h"
#include "sim/prediction.h"
#include "sim/replay/decoder.h"

namespace fcsim::sim {

struct Replayed {
  Prediction prediction;     // without the decoder's reservations
  std::exception_ptr error;  // set instead where the engine refused the configuration
};

struct LockstepOptions {
  EngineOptions engine;
  // EngineOptions::measure_commits of each configuration; empty: as `engine` says.
  std::vector<bool> measure_commits = {};
  unsigned threads = 1;  // >= 1
  // Called on the calling thread after each chunk with the operations replayed so far.
  std::function<void(std::uint64_t)> progress;
};

// Replays the whole trace for each configuration. `end_of_observation` turns the end of the trace
// into the time at which the counters are read. Throws InputError for what is wrong with the trace.
std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options);

}  // namespace fcsim::sim
