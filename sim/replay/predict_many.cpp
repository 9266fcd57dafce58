#include "sim/replay/predict_many.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "sim/replay/lockstep.h"
#include "sim/replay/shared_runs.h"
#include "sim/replay/stages.h"
#include "sim/support/json.h"

namespace fcsim::replay {
namespace {

// Engines that advance together. Each holds a file system's state (a few hundred KiB and what the
// trace makes of it), so a grid of any size needs the memory of this many; more of them cost
// another decoding of the trace.
constexpr std::size_t kTogether = 256;

// Calls of a trace that several settings share from memory: 64 MiB of them. A longer one is taken
// by all engines chunk by chunk.
constexpr std::size_t kMostKept = std::size_t{1} << 19;

// Configurations that share one decoding.
struct Group {
  DecodeSettings settings;
  engine::Placement placement = engine::Placement::recorded;
  std::vector<std::size_t> members;  // indices of outcomes
};

class ManyPredictions {
 public:
  explicit ManyPredictions(const PredictManyRequest& request)
      : request_(request), inputs_(find_inputs(request.inputs)) {}

  Predictions predict() {
    predictions_.trace_files = inputs_.trace_files;
    load_all();
    const std::vector<Group> groups = make_groups();
    const std::size_t decodings = count_decodings(groups);
    if (decodings > 1 && !inputs_.can_be_read_again())
      throw model::InputError({inputs_.trace_files.front(), 0, 0},
                              "is read once, but these configurations need it decoded " +
                                  std::to_string(decodings) + " times; give a file");
    for (const Group& group : groups) replay(group);
    return std::move(predictions_);
  }

 private:
  void load_all() {
    configuration::Loader loader;
    for (const configuration::LoadRequest& wanted : request_.configurations) {
      Outcome& outcome = predictions_.outcomes.emplace_back();
      try {
        outcome.configuration = load_for(inputs_, wanted, request_.mount_point, loader);
      } catch (const model::InputError&) {
        outcome.error = std::current_exception();
        ++done_;
      }
    }
  }

  std::vector<Group> make_groups() const {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < predictions_.outcomes.size(); ++i) {
      const Outcome& outcome = predictions_.outcomes[i];
      if (outcome.error) continue;
      const DecodeSettings settings = decode_settings(outcome.configuration, request_.strict);
      const std::size_t limit =
          inputs_.can_be_read_again() ? kTogether : predictions_.outcomes.size();
      const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return group.settings == settings && group.placement == outcome.configuration.placement &&
               group.members.size() < limit;
      });
      Group& group = found == groups.end()
                         ? groups.emplace_back(Group{settings, outcome.configuration.placement, {}})
                         : *found;
      group.members.push_back(i);
    }
    return groups;
  }

  // Administrator's steps change what each configuration makes of the runs behind them.
  static std::size_t count_decodings(const std::vector<Group>& groups) {
    std::size_t count = 0;
    for (const Group& group : groups)
      count += group.settings.stages.empty() ? 1 : group.members.size();
    return count;
  }

  TraceDecoder::Observer first_observer() {
    return std::exchange(done_first_group_, true) ? TraceDecoder::Observer{} : request_.observer;
  }

  void replay_stages(const Group& group) {
    for (const std::size_t i : group.members) {
      Outcome& outcome = predictions_.outcomes[i];
      TraceDecoder decoder(inputs_, group.settings, first_observer());
      try {
        outcome.prediction =
            predict_stages(decoder, inputs_, outcome.configuration, engine_options(group, decoder));
        decoder.add_reservations(outcome.prediction);
      } catch (const std::invalid_argument&) {  // the kernel refuses a mount
        outcome.error = std::current_exception();
      }
      if (predictions_.warnings.empty()) predictions_.warnings = decoder.warnings();
      ++predictions_.runs;
      ++done_;
      report({0, 0, done_, predictions_.outcomes.size()});
    }
  }

  void replay(const Group& group) {
    if (!group.settings.stages.empty()) return replay_stages(group);
    TraceDecoder decoder(inputs_, group.settings, first_observer());
    predictions_.trace_files = decoder.trace_files();
    std::vector<const model::Configuration*> configurations;
    for (const std::size_t i : group.members)
      configurations.push_back(&predictions_.outcomes[i].configuration.values);
    std::vector<OperationChunk> begun;
    if (configurations.size() > 1) {
      if (keep(decoder, begun)) {
        replay_kept(group, decoder, {std::move(begun), end_of_observation(inputs_, decoder.end())},
                    configurations);
        return;
      }
    }
    LockstepOptions options;
    options.engine = engine_options(group, decoder);
    options.threads = request_.threads;
    if (request_.progress)
      options.progress = [&](std::uint64_t operations) {
        report({operations, group.members.size(), done_, predictions_.outcomes.size()});
      };
    std::vector<Replayed> replayed = replay_in_lockstep(
        decoder, std::move(begun), configurations,
        [&](model::Time end) { return end_of_observation(inputs_, end); }, options);
    predictions_.runs += configurations.size();
    take(group, replayed, decoder);
  }

  // Takes the whole trace into memory; false where it is longer than that should hold.
  static bool keep(TraceDecoder& decoder, std::vector<OperationChunk>& chunks) {
    std::size_t kept = 0;
    for (OperationChunk chunk; decoder.next(chunk);) {
      kept += chunk.size();
      chunks.push_back(std::move(chunk));
      if (kept > kMostKept) return false;
      chunk = {};
    }
    return true;
  }

  void replay_kept(const Group& group, const TraceDecoder& decoder, const KeptTrace& trace,
                   const std::vector<const model::Configuration*>& configurations) {
    std::uint64_t operations = 0;
    for (const OperationChunk& chunk : trace.chunks) operations += chunk.size();
    SharedRuns shared =
        replay_shared(decoder, trace, configurations, engine_options(group, decoder),
                      request_.threads, [&](std::size_t answered) {
                        report({operations, group.members.size() - answered, done_ + answered,
                                predictions_.outcomes.size()});
                      });
    predictions_.runs += shared.runs;
    take(group, shared.results, decoder);
  }

  void take(const Group& group, std::vector<Replayed>& replayed, const TraceDecoder& decoder) {
    for (std::size_t k = 0; k < group.members.size(); ++k) {
      Outcome& outcome = predictions_.outcomes[group.members[k]];
      outcome.prediction = std::move(replayed[k].prediction);
      outcome.error = replayed[k].error;
      if (!outcome.error) decoder.add_reservations(outcome.prediction);
      ++done_;
    }
    if (predictions_.warnings.empty()) predictions_.warnings = decoder.warnings();
    report({0, 0, done_, predictions_.outcomes.size()});
  }

  [[nodiscard]] engine::EngineOptions engine_options(const Group& group,
                                                     const TraceDecoder& decoder) const {
    engine::EngineOptions options;
    options.keep_commits = request_.keep_commits;
    options.placement = group.placement;
    options.listing_moved = decoder.moved_by_listing();
    // A double holds a time of our days to a quarter of a microsecond; strace writes microseconds.
    if (const auto& at = group.settings.start.manifest_at_s)
      options.listed_at = std::llround(*at * 1e6) * 1000;
    return options;
  }

  void report(const Progress& progress) const {
    if (request_.progress) request_.progress(progress);
  }

  const PredictManyRequest& request_;
  Inputs inputs_;
  Predictions predictions_;
  std::size_t done_ = 0;
  bool done_first_group_ = false;
};

}  // namespace

Predictions predict_many(const PredictManyRequest& request) {
  return ManyPredictions(request).predict();
}

namespace {

// TOML is UTF-8, paths are bytes: the recorder writes them as support/json.h says.
void restore_bytes(configuration::LoadedConfiguration& configuration) {
  const auto restore = [](std::string& name) { name = support::name_from_json(name); };
  restore(configuration.mount_point);
  for (auto* const names : {&configuration.other_mounts, &configuration.also_at})
    for (std::string& name : *names) restore(name);
  if (configuration.start.manifest_moved_atimes)
    for (std::string& name : *configuration.start.manifest_moved_atimes) restore(name);
}

}  // namespace

configuration::LoadedConfiguration load_for(const Inputs& inputs, configuration::LoadRequest wanted,
                                            const std::string& mount_point,
                                            configuration::Loader& loader) {
  if (!inputs.environment.empty()) wanted.files.insert(wanted.files.begin(), inputs.environment);
  configuration::LoadedConfiguration configuration = loader.load(wanted);
  restore_bytes(configuration);
  if (!mount_point.empty()) configuration.mount_point = mount_point;
  if (configuration.mount_point.empty()) return configuration;
  configuration.mount_point = normal_mount_point(configuration.mount_point);
  if (mount_point.empty()) return configuration;
  // A symbolic link to it, if this is the machine that it is on, is another name of it.
  std::error_code error;
  const std::string real = std::filesystem::canonical(configuration.mount_point, error).string();
  if (error || real == configuration.mount_point) return configuration;
  configuration.also_at.push_back(configuration.mount_point + "=.");
  configuration.mount_point = real;
  return configuration;
}

configuration::LoadedConfiguration load_for(const Inputs& inputs,
                                            const configuration::LoadRequest& wanted,
                                            const std::string& mount_point) {
  configuration::Loader loader;
  return load_for(inputs, wanted, mount_point, loader);
}

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

}  // namespace fcsim::replay
