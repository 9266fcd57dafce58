#include "sim/replay/machine.h"

#include <cassert>
#include <string>
#include <utility>

#include "sim/machine/mount_options.h"
#include "sim/machine/options.h"
#include "sim/replay/impossible.h"
#include "sim/replay/initial_check.h"
#include "sim/replay/make_engine.h"
#include "traces/bundle/manifest.h"

namespace fcsim::replay {

using model::OperationKind;
using model::Time;

Machine::Machine(const model::Configuration& configuration, engine::EngineOptions options)
    : configuration_(configuration), first_mount_(configuration.mount), options_(options) {}

void Machine::perform(const Step& step, Time at) {
  switch (step.kind) {
    case StepKind::mkfs:
      return mkfs(step);
    case StepKind::tune2fs:
      return machine::apply_tune2fs_options(step.text, step.position, mounted_,
                                            configuration_.filesystem);
    case StepKind::mount:
      return mount(step);
    case StepKind::remount:
      return remount(step, at);
    case StepKind::umount:
      return umount(step, at);
    case StepKind::drop_caches:  // 1 drops pages alone
      if (mounted_ && (step.number & 2) != 0) engine_->administer(OperationKind::drop_caches, at);
      return;
    case StepKind::sync:
      if (mounted_) engine_->administer(OperationKind::sync, at);
      return;
    case StepKind::run:
      break;
  }
  assert(false);
}

void Machine::mkfs(const Step& step) {
  if (mounted_)
    throw model::InputError(step.position,
                            "mkfs: the file system is mounted; expected umount before");
  configuration_.filesystem =
      machine::make_with_options(step.text, step.position, configuration_.filesystem);
  engine_.reset();
}

void Machine::mount(const Step& step) {
  if (mounted_) throw model::InputError(step.position, "mount: the file system is mounted already");
  model::MountSettings mount = step.plain ? model::MountSettings{} : first_mount_;
  machine::apply_mount_options(step.text, step.position, mount);
  if (engine_ == nullptr) {
    check_initial(initial_, configuration_.filesystem);
    model::Configuration configuration = configuration_;
    configuration.mount = mount;
    engine_ = replay::make_engine(configuration, initial_, options_);
  } else {
    engine_->mount(configuration_.filesystem, mount);
  }
  configuration_.mount = mount;
  mounted_ = true;
}

void Machine::remount(const Step& step, Time at) {
  require_mounted(step);
  const bool read_only =
      machine::apply_remount_options(step.text, step.position, configuration_.mount);
  engine_->remount(configuration_.mount);
  if (read_only) engine_->administer(OperationKind::remount, at);
}

void Machine::umount(const Step& step, Time at) {
  require_mounted(step);
  ended_.push_back(engine_->unmount(at));
  mounted_ = false;
}

void Machine::require_mounted(const Step& step) const {
  if (!mounted_)
    throw model::InputError(
        step.position,
        std::string(name(step.kind)) + ": the file system is not mounted; expected mount before");
}

void Machine::replay(const std::vector<model::Operation>& operations) {
  assert(mounted_);
  const std::int64_t largest = largest_file(configuration_.filesystem.block_size);
  for (const model::Operation& operation : operations) {
    if (is_impossible(operation, largest))
      ++left_out_calls_;
    else
      engine_->replay(operation);
  }
}

engine::Prediction Machine::read(Time at) {
  assert(mounted_);
  return engine_->read(at);
}

std::vector<engine::Prediction> Machine::take_ended() {
  return std::exchange(ended_, {});
}

model::InitialState fresh_file_system() {
  model::InitialState state = traces::bundle::parse_manifest(
      "d\t755\t2\t3\t4096\t8\t.\t\nd\t700\t11\t2\t16384\t32\tlost+found\t\n", "");
  state.source.clear();  // it was not listed
  return state;
}

}  // namespace fcsim::replay
