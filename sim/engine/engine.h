// The discrete-event engine: places operations, timers, I/O and commits in virtual time.
//
// Operations come in order of their start. A process that waits (for its data, a fast commit, a
// full commit) takes up its next operation when it is woken, never before the recorded start.
// Nothing here depends on anything but the operations and the configuration: same input, same
// result.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/common/configuration.h"
#include "model/common/operation.h"
#include "model/ext4/filesystem.h"
#include "sim/engine/placement.h"
#include "sim/engine/prediction.h"

namespace fcsim::engine {

class EngineCore;

struct EngineOptions {
  Placement placement = Placement::recorded;
  bool keep_commits = false;  // fill the prediction's lists of commits
  // When the directories of the initial state were read to list it. Taken where it lies before the
  // first operation, by a year at most; else the reads are placed shortly before that.
  std::optional<model::Time> listed_at = {};
  // The directories whose access times those reads moved, sorted; nullopt: all.
  std::optional<std::vector<model::FileId>> listing_moved = {};
};

class Engine {
 public:
  // Throws std::invalid_argument where the configuration describes no mountable file system.
  Engine(const model::Configuration& configuration, const model::InitialState& initial,
         EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void replay(const model::Operation& operation);
  // Lets timers and commits run until `end_of_observation`, when the counters are read.
  Prediction finish(model::Time end_of_observation);

  // ---- an administrator's steps, between calls (engine/mounts.cpp) ----
  // What /proc shows at `at`, since the mount.
  [[nodiscard]] Prediction read(model::Time at);
  // sync, remount (read-only), drop_caches at `at` or later; returns when the call is over.
  void administer(model::OperationKind kind, model::Time at);
  // Syncs, waits for everything and forgets what lived in memory; the answer is the last that the
  // mount's counters said. Then only mount() may follow. `at` is raised to the last time seen.
  Prediction unmount(model::Time at);
  // Throws std::invalid_argument where the kernel refuses; the file system then stays unmounted.
  void mount(const model::FilesystemSettings& on_disk, const model::MountSettings& options);
  void remount(const model::MountSettings& options);

 private:
  std::unique_ptr<EngineCore> core_;
};

}  // namespace fcsim::engine
