// Many configurations over one trace: each chunk of operations is decoded once and taken by every
// engine in turn, on as many threads as there are. Engines share nothing, so the threads change
// nothing about the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/common/configuration.h"
#include "sim/engine/engine.h"
#include "sim/replay/decoder.h"
#include "sim/replay/runner.h"

namespace fcsim::replay {

struct LockstepOptions {
  engine::EngineOptions engine;
  unsigned threads = 1;  // >= 1
  // Called on the calling thread after each chunk with the operations replayed so far.
  std::function<void(std::uint64_t)> progress;
};

// Replays the whole trace for each configuration: `begun`, which was taken from the decoder
// already, and the rest of it. `end_of_observation` turns the end of the trace
// into the time at which the counters are read. Throws InputError for what is wrong with the trace.
std::vector<Replayed> replay_in_lockstep(
    TraceDecoder& decoder, std::vector<OperationChunk> begun,
    const std::vector<const model::Configuration*>& configurations,
    const std::function<model::Time(model::Time)>& end_of_observation,
    const LockstepOptions& options);

}  // namespace fcsim::replay
