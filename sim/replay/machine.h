// A file system on its device, mounted or not, through an administrator's steps.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/common/configuration.h"
#include "sim/engine/engine.h"
#include "sim/replay/step.h"

namespace fcsim::replay {

class Machine {
 public:
  // Nothing is mounted yet; the device holds what `configuration` says.
  Machine(const model::Configuration& configuration, engine::EngineOptions options);

  // The files that the device holds when it is mounted for the first time since mkfs.
  void set_initial(model::InitialState initial) { initial_ = std::move(initial); }

  // Any step but `run`, at the time `at` or later. Throws InputError at the step for one that
  // cannot be done and std::invalid_argument where the kernel refuses a mount; both change nothing.
  void perform(const Step& step, model::Time at);

  // Calls of the trace; the file system must be mounted.
  void replay(const std::vector<model::Operation>& operations);

  [[nodiscard]] bool mounted() const { return mounted_; }
  // What /proc shows since the mount; the file system must be mounted.
  [[nodiscard]] engine::Prediction read(model::Time at);
  // What each mount that is over said last, oldest first, since the last call.
  std::vector<engine::Prediction> take_ended();
  // Calls that no file could hold, left out.
  [[nodiscard]] std::uint64_t left_out_calls() const { return left_out_calls_; }

 private:
  void mkfs(const Step& step);
  void mount(const Step& step);
  void remount(const Step& step, model::Time at);
  void umount(const Step& step, model::Time at);
  void require_mounted(const Step& step) const;

  model::Configuration configuration_;  // filesystem: as on disk
  const model::MountSettings first_mount_;
  engine::EngineOptions options_;
  model::InitialState initial_;
  std::unique_ptr<engine::Engine> engine_;  // of the file system since mkfs; null: never mounted
  bool mounted_ = false;
  std::vector<engine::Prediction> ended_;
  std::uint64_t left_out_calls_ = 0;
};

// What mke2fs puts into a file system: the root and lost+found.
model::InitialState fresh_file_system();

}  // namespace fcsim::replay
