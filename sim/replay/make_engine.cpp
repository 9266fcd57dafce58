#include "sim/replay/make_engine.h"

#include "model/ext4/filesystem.h"
#include "model/xfs/file_system.h"

namespace fcsim::replay {

std::unique_ptr<model::FileSystem> make_file_system(const model::Configuration& configuration,
                                                    const model::InitialState& initial) {
  if (configuration.filesystem.type == model::FilesystemType::xfs)
    return std::make_unique<model::xfs::FileSystem>(configuration, initial);
  return std::make_unique<model::ext4::FileSystem>(configuration, initial);
}

std::unique_ptr<engine::Engine> make_engine(const model::Configuration& configuration,
                                            const model::InitialState& initial,
                                            const engine::EngineOptions& options) {
  engine::EngineOptions chosen = options;
  // Whoever lists an XFS file system opens its directories with O_NOATIME.
  if (configuration.filesystem.type == model::FilesystemType::xfs && !chosen.listing_moved)
    chosen.listing_moved.emplace();
  return std::make_unique<engine::Engine>(configuration, initial, chosen,
                                          make_file_system(configuration, initial));
}

}  // namespace fcsim::replay
