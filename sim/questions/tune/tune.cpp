#include "sim/questions/tune/tune.h"

#include <algorithm>
#include <utility>

#include "sim/questions/tune/trials.h"

namespace fcsim::questions::tune {
namespace {

constexpr std::size_t kAtOnce = 8;

}  // namespace

void Trials::run(const std::vector<Changes>& changes,
                 const std::function<void(std::size_t, const replay::Outcome&)>& sink) {
  for (std::size_t first = 0; first < changes.size(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, changes.size());
    replay::PredictManyRequest many = request_.common;
    many.keep_commits = true;
    many.configurations.clear();
    for (std::size_t i = first; i < end; ++i) {
      configuration::LoadRequest& one = many.configurations.emplace_back(request_.configuration);
      one.settings.insert(one.settings.end(), changes[i].begin(), changes[i].end());
    }
    replay::Predictions predictions = predict_many(many);
    warnings_ = std::move(predictions.warnings);
    for (std::size_t i = first; i < end; ++i) {
      const replay::Outcome& outcome = predictions.outcomes[i - first];
      if (outcome.error) std::rethrow_exception(outcome.error);
      sink(i, outcome);
    }
  }
}

replay::Outcome Trials::run_one(const Changes& changes) {
  replay::Outcome result;
  run({changes}, [&](std::size_t, const replay::Outcome& outcome) { result = outcome; });
  return result;
}

std::string area_setting(std::uint64_t blocks, std::uint32_t block_size) {
  return "filesystem.fast_commit_kib=" + std::to_string(blocks * block_size / 1024);
}

Tuning tune(const TuneRequest& request) {
  if (!replay::find_inputs(request.common.inputs).can_be_read_again())
    throw model::InputError({request.common.inputs.front(), 0, 0},
                            "tune reads the trace several times: expected a file");
  Trials trials(request);
  const replay::Outcome current = trials.run_one({});
  if (!current.prediction.fast_commit_active)
    throw model::InputError({},
                            "fast commit is not active in this configuration (feature, journal or "
                            "data=journal): there is nothing to tune");
  Tuning tuning;
  tuning.profile = current.configuration.values.kernel.profile;
  tuning.filesystem = current.configuration.values.filesystem;
  tuning.area = advise_area(trials, current.configuration);
  tuning.ranges = advise_ranges(trials);
  tuning.break_even = find_break_even(trials, current.configuration, tuning.area, request.devices);
  tuning.warnings = trials.warnings();
  return tuning;
}

}  // namespace fcsim::questions::tune
