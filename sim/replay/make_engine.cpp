#include "sim/replay/make_engine.h"

#include "model/ext4/filesystem.h"

namespace fcsim::replay {

std::unique_ptr<model::FileSystem> make_file_system(const model::Configuration& configuration,
                                                    const model::InitialState& initial) {
  return std::make_unique<model::ext4::FileSystem>(configuration, initial);
}

std::unique_ptr<engine::Engine> make_engine(const model::Configuration& configuration,
                                            const model::InitialState& initial,
                                            const engine::EngineOptions& options) {
  return std::make_unique<engine::Engine>(configuration, initial, options,
                                          make_file_system(configuration, initial));
}

}  // namespace fcsim::replay
