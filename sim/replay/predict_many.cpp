#include "sim/replay/predict_many.h"

#include <algorithm>
#include <new>

#include "sim/replay/lanes/lane_group.h"
#include "sim/replay/lockstep.h"

namespace fcsim::sim {
namespace {

// Engines that advance together. Each holds a file system's state (a few hundred KiB and what the
// trace makes of it), so a grid of any size needs the memory of this many; more of them cost
// another decoding of the trace.
constexpr std::size_t kTogether = 256;
// Lanes, which hold a journal's state only.
constexpr std::size_t kLanesTogether = 4096;

// Configurations that share one decoding.
struct Group {
  DecodeSettings settings;
  std::vector<std::size_t> members;  // indices of outcomes
  bool lanes = false;
};

class Many {
 public:
  explicit Many(const PredictManyRequest& request)
      : request_(request), inputs_(find_inputs(request.inputs)) {}

  Predictions predict() {
    predictions_.trace_files = inputs_.trace_files;
    load_all();
    const std::vector<Group> groups = make_groups();
    if (groups.size() > 1 && !inputs_.can_be_read_again())
      throw InputError({inputs_.trace_files.front(), 0, 0},
                       "is read once, but these configurations need it decoded " +
                           std::to_string(groups.size()) + " times; give a file");
    for (const Group& group : groups) replay(group);
    for (const Group& group : divided(left_over_)) replay(group);
    return std::move(predictions_);
  }

 private:
  void load_all() {
    for (const LoadRequest& wanted : request_.configurations) {
      Outcome& outcome = predictions_.outcomes.emplace_back();
      try {
        outcome.configuration = load_one(wanted);
      } catch (const InputError&) {
        outcome.error = std::current_exception();
        ++done_;
      }
    }
  }

  LoadedConfiguration load_one(LoadRequest wanted) const {
    if (!inputs_.environment.empty())
      wanted.files.insert(wanted.files.begin(), inputs_.environment);
    LoadedConfiguration configuration = load(wanted);
    if (!request_.mount_point.empty()) configuration.mount_point = request_.mount_point;
    return configuration;
  }

  std::vector<Group> make_groups() const {
    std::vector<Group> groups;
    const bool again = inputs_.can_be_read_again();
    for (std::size_t i = 0; i < predictions_.outcomes.size(); ++i) {
      const Outcome& outcome = predictions_.outcomes[i];
      if (outcome.error) continue;
      const DecodeSettings settings{outcome.configuration.mount_point, outcome.configuration.setup,
                                    request_.strict};
      // A lane that must be replayed alone after all needs the trace once more.
      const bool lanes = request_.lanes && again && !request_.keep_commits &&
                         can_be_lane(outcome.configuration.values);
      const std::size_t limit =
          !again ? predictions_.outcomes.size() : lanes ? kLanesTogether : kTogether;
      const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return group.settings == settings && group.lanes == lanes && group.members.size() < limit;
      });
      Group& group = found == groups.end() ? groups.emplace_back(Group{settings, {}, lanes}) : *found;
      group.members.push_back(i);
    }
    return groups;
  }

  // Engines of their own, as many together as memory allows.
  static std::vector<Group> divided(const std::vector<Group>& groups) {
    std::vector<Group> parts;
    for (const Group& group : groups)
      for (std::size_t i = 0; i < group.members.size(); ++i) {
        if (i % kTogether == 0) parts.push_back({group.settings, {}, false});
        parts.back().members.push_back(group.members[i]);
      }
    return parts;
  }

  void replay(const Group& group) {
    TraceDecoder decoder(inputs_, group.settings,
                         done_first_group_ ? TraceDecoder::Observer{} : request_.observer);
    done_first_group_ = true;
    std::vector<const model::Configuration*> configurations;
    for (const std::size_t i : group.members)
      configurations.push_back(&predictions_.outcomes[i].configuration.values);
    LockstepOptions options;
    options.engine.keep_commits = request_.keep_commits;
    options.threads = request_.threads;
    options.lanes = group.lanes;
    options.lane_statistics = &predictions_.lanes;
    if (request_.progress)
      options.progress = [&](std::uint64_t operations) {
        report({operations, group.members.size(), done_, predictions_.outcomes.size()});
      };
    std::vector<Replayed> replayed = replay_in_lockstep(
        decoder, configurations, [&](model::Time end) { return end_of_observation(inputs_, end); },
        options);
    Group left{group.settings, {}, false};
    for (std::size_t k = 0; k < group.members.size(); ++k) {
      if (replayed[k].alone) {
        left.members.push_back(group.members[k]);
        continue;
      }
      Outcome& outcome = predictions_.outcomes[group.members[k]];
      outcome.prediction = std::move(replayed[k].prediction);
      outcome.error = replayed[k].error;
      if (!outcome.error) decoder.add_reservations(outcome.prediction);
    }
    if (predictions_.warnings.empty()) predictions_.warnings = decoder.warnings();
    done_ += group.members.size() - left.members.size();
    if (!left.members.empty()) left_over_.push_back(std::move(left));
    report({0, 0, done_, predictions_.outcomes.size()});
  }

  void report(const Progress& progress) const {
    if (request_.progress) request_.progress(progress);
  }

  const PredictManyRequest& request_;
  Inputs inputs_;
  Predictions predictions_;
  std::size_t done_ = 0;
  bool done_first_group_ = false;
  std::vector<Group> left_over_;  // lanes that must be replayed alone
};

}  // namespace

Predictions predict_many(const PredictManyRequest& request) {
  return Many(request).predict();
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

}  // namespace fcsim::sim
