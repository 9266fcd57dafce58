#include "sim/replay/stages.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/replay/machine.h"
#include "sim/replay/shell.h"

namespace fcsim::replay {
namespace {

using model::Time;

class StagedRun {
 public:
  StagedRun(TraceDecoder& decoder, const Inputs& inputs,
            const configuration::LoadedConfiguration& configuration, engine::EngineOptions options)
      : decoder_(decoder),
        inputs_(inputs),
        configuration_(configuration),
        machine_(configuration.values, options) {}

  engine::Prediction predict() {
    machine_.set_initial(decoder_.initial());
    Step mount;
    mount.kind = StepKind::mount;
    machine_.perform(mount, 0);
    run("");
    for (const std::string& admin : configuration_.stages) {
      perform_all(admin);
      run(admin);
    }
    if (decoder_.begin_run())
      throw wrong_number("more than the " + std::to_string(configuration_.stages.size() + 1) +
                         " runs of the command");
    return total();
  }

 private:
  [[nodiscard]] model::InputError wrong_number(const std::string& held) const {
    return model::InputError({inputs_.trace_files.front(), 0, 0},
                             "holds " + held + "; [recorded_with] stages has " +
                                 std::to_string(configuration_.stages.size()) +
                                 " steps between runs");
  }

  void run(const std::string& admin) {
    const std::optional<Time> start = decoder_.begin_run();
    if (!start)
      throw wrong_number("only " + std::to_string(stages_.size()) + " runs of the command");
    if (!machine_.mounted())
      throw model::InputError({inputs_.environment, 0, 0},
                              "[recorded_with] stages: nothing is mounted after \"" + admin + "\"");
    const engine::Prediction before = machine_.read(*start);
    OperationChunk chunk;
    end_ = *start;
    while (decoder_.next_of_run(chunk)) {
      machine_.replay(chunk);
      for (const model::Operation& operation : chunk) end_ = std::max(end_, operation.end);
    }
    if (stages_.size() == configuration_.stages.size())
      end_ = end_of_observation(inputs_, std::max(end_, decoder_.end()));
    last_ = machine_.read(end_);
    stages_.push_back({admin, difference(last_, before)});
  }

  void perform_all(const std::string& admin) {
    const model::Position position{inputs_.environment, 0, 0};
    try {
      for (const Step& step : parse_shell_steps(admin, position, {configuration_.mount_point})) {
        machine_.perform(step, end_);
        if (step.kind != StepKind::mkfs) continue;
        machine_.set_initial(fresh_file_system());
        decoder_.forget_files(fresh_file_system());
      }
    } catch (const model::InputError& error) {
      ++unsupported_["administrator's step: " + std::string(error.what())];
    }
  }

  engine::Prediction total() {
    engine::Prediction total = stages_.front().counted;
    for (std::size_t i = 1; i < stages_.size(); ++i) total = sum(total, stages_[i].counted);
    std::vector<engine::Prediction> mounts = machine_.take_ended();
    mounts.push_back(std::move(last_));
    for (engine::Prediction& mount : mounts) {
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(total.fast_commits, mount.fast_commits);
      append(total.full_commits, mount.full_commits);
      append(total.sync_times, mount.sync_times);
      total.latency.add(mount.latency);
      append(total.assumed, mount.assumed);
      for (const auto& [what, count] : mount.unsupported) unsupported_[what] += count;
    }
    if (machine_.left_out_calls() != 0)
      unsupported_["calls beyond the largest file, left out"] = machine_.left_out_calls();
    total.unsupported = std::move(unsupported_);
    total.stages = std::move(stages_);
    return total;
  }

  TraceDecoder& decoder_;
  const Inputs& inputs_;
  const configuration::LoadedConfiguration& configuration_;
  Machine machine_;
  Time end_ = 0;
  engine::Prediction last_;  // the newest reading
  std::vector<engine::Stage> stages_;
  std::map<std::string, std::uint64_t> unsupported_;
};

}  // namespace

engine::Prediction predict_stages(TraceDecoder& decoder, const Inputs& inputs,
                                  const configuration::LoadedConfiguration& configuration,
                                  engine::EngineOptions options) {
  return StagedRun(decoder, inputs, configuration, options).predict();
}

}  // namespace fcsim::replay
