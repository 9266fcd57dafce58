// Many settings over one trace that memory holds, with a run for each way in which it can go.
//
// A run remembers what decided it: how much was asked of each limit, how old transactions became,
// which blocks were looked at. So it knows for which other settings every decision would have been
// the same (model::FileSystem::holds_for), and answers for them too. Each answer is that of a run
// of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "model/common/configuration.h"
#include "sim/engine/engine.h"
#include "sim/replay/decoder.h"
#include "sim/replay/runner.h"

namespace fcsim::replay {

// A whole trace.
struct KeptTrace {
  std::vector<OperationChunk> chunks;
  model::Time end = 0;  // when the counters are read
};

struct SharedRuns {
  std::vector<Replayed> results;  // one for each configuration
  std::size_t runs = 0;           // that it took
};

// `decoder` has been read to its end. `threads` >= 1 runs go on at once. `progress` is called on
// the calling thread, with the number of settings that are answered.
SharedRuns replay_shared(const TraceDecoder& decoder, const KeptTrace& trace,
                         const std::vector<const model::Configuration*>& configurations,
                         const engine::EngineOptions& options, unsigned threads,
                         const std::function<void(std::size_t)>& progress);

}  // namespace fcsim::replay
