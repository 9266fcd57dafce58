#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/questions/scenario/scenario.h"
#include "sim/replay/decoder.h"
#include "sim/replay/initial_check.h"
#include "sim/replay/inputs.h"
#include "sim/replay/machine.h"
#include "traces/bundle/manifest.h"

namespace fcsim::questions::scenario {
namespace {

using model::Time;

class ScenarioRun {
 public:
  explicit ScenarioRun(const ScenarioRequest& request)
      : request_(request), scenario_(read_scenario(request.path)) {
    for (const Step& step : scenario_.steps)
      if (step.kind == StepKind::run) inputs_.push_back(find_inputs_of(step));
    result_.configuration = load_configuration();
    machine_.emplace(result_.configuration.values, options());
    if (inputs_.empty()) return;
    replay::DecodeSettings settings;
    settings.mount_point = mount_point_of(inputs_.front());
    settings.strict = request_.strict;
    decoder_.emplace(inputs_.front(), settings);
    now_ = decoder_->begin_run().value_or(0);
  }

  ScenarioResult run() {
    for (const Step& step : scenario_.steps) {
      if (step.kind == StepKind::run)
        run_trace();
      else
        administer(step);
      StepResult& result = result_.steps.emplace_back();
      result.step = step;
      result.mounted = machine_->mounted();
      if (result.mounted) result.counted = machine_->read(now_);
    }
    reserve();
    return std::move(result_);
  }

 private:
  static replay::Inputs find_inputs_of(const Step& step) {
    try {
      return replay::find_inputs({step.text});
    } catch (const model::InputError& error) {
      throw model::InputError(step.position, std::string("run: ") + error.what());
    }
  }

  [[nodiscard]] engine::EngineOptions options() const {
    engine::EngineOptions options;
    options.placement = result_.configuration.placement;
    return options;
  }

  configuration::LoadedConfiguration load_configuration() const {
    configuration::LoadRequest wanted = request_.configuration;
    wanted.files.insert(wanted.files.begin(), scenario_.configuration_files.begin(),
                        scenario_.configuration_files.end());
    if (!inputs_.empty() && !inputs_.front().environment.empty())
      wanted.files.insert(wanted.files.begin(), inputs_.front().environment);
    configuration::LoadedConfiguration loaded = load(wanted);
    replay::require_ext4(loaded.values.filesystem, "scenario");
    // A step mkfs with a size makes the file system, so nothing about it is assumed.
    if (makes_sized_file_system(scenario_.steps.front()))
      std::erase_if(loaded.assumed, [](const std::string& sentence) {
        return sentence.starts_with("no [filesystem] given");
      });
    return loaded;
  }

  static bool makes_sized_file_system(const Step& step) {
    const std::size_t last = step.text.find_last_of(' ') + 1;
    return step.kind == StepKind::mkfs && last < step.text.size() && step.text[last] >= '0' &&
           step.text[last] <= '9';
  }

  [[nodiscard]] std::string mount_point_of(const replay::Inputs& inputs) const {
    if (!request_.mount_point.empty()) return request_.mount_point;
    if (!inputs.environment.empty()) {
      configuration::LoadRequest own;
      own.files = {inputs.environment};
      own.directories = request_.configuration.directories;
      const std::string mount_point = load(own).mount_point;
      if (!mount_point.empty()) return mount_point;
    }
    return scenario_.mount_point.empty() ? result_.configuration.mount_point
                                         : scenario_.mount_point;
  }

  void administer(const Step& step) {
    if (step.kind == StepKind::mkfs) fresh_ = made_ = true;
    if (step.kind == StepKind::mount && std::exchange(fresh_, false)) set_initial();
    try {
      machine_->perform(step, now_);
    } catch (const std::invalid_argument& refusal) {
      throw model::InputError(step.position,
                              std::string("the kernel refuses to mount this: ") + refusal.what());
    }
  }

  // What is on the file system before the next run, as far as it is known: the manifest of its
  // bundle, else what mke2fs made.
  void set_initial() {
    model::InitialState initial;
    if (next_ < inputs_.size() && !inputs_[next_].manifest.empty())
      initial = traces::bundle::read_manifest(inputs_[next_].manifest);
    else if (made_)
      initial = replay::fresh_file_system();
    machine_->set_initial(initial);
    if (decoder_) decoder_->forget_files(std::move(initial));
  }

  void run_trace() {
    const replay::Inputs& inputs = inputs_[next_];
    if (next_++ != 0) decoder_->go_on_with(inputs, mount_point_of(inputs));
    replay::OperationChunk chunk;
    while (decoder_->next(chunk)) machine_->replay(chunk);
    chunk.clear();
    decoder_->end_processes(chunk);
    machine_->replay(chunk);
    now_ = std::max(now_, decoder_->end());
  }

  void reserve() {
    engine::Prediction& all = result_.basis;
    std::vector<engine::Prediction> mounts = machine_->take_ended();
    if (machine_->mounted()) mounts.push_back(machine_->read(now_));
    for (const engine::Prediction& mount : mounts)
      for (const auto& [what, count] : mount.unsupported) all.unsupported[what] += count;
    if (machine_->left_out_calls() != 0)
      all.unsupported["calls beyond the largest file, left out"] = machine_->left_out_calls();
    if (!decoder_) return;
    decoder_->add_reservations(all);
    result_.warnings = decoder_->warnings();
  }

  const ScenarioRequest& request_;
  const Scenario scenario_;
  std::deque<replay::Inputs> inputs_;  // of the runs
  std::optional<replay::Machine> machine_;
  std::optional<replay::TraceDecoder> decoder_;
  std::size_t next_ = 0;  // run
  bool fresh_ = true;     // nothing was mounted since the start or mkfs
  bool made_ = false;     // by a step mkfs
  Time now_ = 0;
  ScenarioResult result_;
};

}  // namespace

ScenarioResult run_scenario(const ScenarioRequest& request) {
  return ScenarioRun(request).run();
}

}  // namespace fcsim::questions::scenario
