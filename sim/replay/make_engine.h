// An engine over the file system that a configuration describes.
#pragma once

#include <memory>

#include "model/common/configuration.h"
#include "model/common/operation.h"
#include "model/file_system.h"
#include "sim/engine/engine.h"

namespace fcsim::replay {

// Throws std::invalid_argument where the configuration describes no mountable file system.
std::unique_ptr<model::FileSystem> make_file_system(const model::Configuration& configuration,
                                                    const model::InitialState& initial);
std::unique_ptr<engine::Engine> make_engine(const model::Configuration& configuration,
                                            const model::InitialState& initial,
                                            const engine::EngineOptions& options);

}  // namespace fcsim::replay
