#include "sim/engine.h"

#include "sim/engine/core.h"
#include "sim/engine/events.h"
#include "sim/engine/sync_calls.h"

namespace fcsim::sim {

class Engine::Impl : public EngineCore<DirectFileSystem> {
 public:
  using EngineCore::EngineCore;
};

Engine::Engine(const model::Configuration& configuration, const model::InitialState& initial,
               EngineOptions options)
    : impl_(std::make_unique<Impl>(configuration, initial, options)) {}
Engine::~Engine() = default;
void Engine::replay(const model::Operation& operation) { impl_->replay(operation); }
Prediction Engine::finish(model::Time end) { return impl_->finish(end); }

}  // namespace fcsim::sim
