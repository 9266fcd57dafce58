#include "sim/questions/overview/overview.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/common/error.h"
#include "sim/replay/inputs.h"

namespace fcsim::questions::overview {
namespace {

using model::Time;

constexpr std::size_t kParts = 400;  // of the time: about one for two pixels
constexpr std::size_t kSlowCalls = 20;

replay::SessionRequest session_of(const OverviewRequest& request) {
  replay::SessionRequest session;
  session.inputs = request.inputs;
  session.configuration = request.configuration;
  session.mount_point = request.mount_point;
  session.strict = request.strict;
  session.threads = request.threads;
  return session;
}

replay::PredictManyRequest many_of(const OverviewRequest& request) {
  replay::PredictManyRequest many;
  many.inputs = request.inputs;
  many.mount_point = request.mount_point;
  many.strict = request.strict;
  many.threads = request.threads;
  return many;
}

explain::Explanation explained(const OverviewRequest& request) {
  explain::ExplainRequest question;
  question.session = session_of(request);
  question.attempts = true;
  return explain::explain(question);
}

// ---- parts of the time ----------------------------------------------------------------------

class Timeline {
 public:
  explicit Timeline(Overview& overview) : overview_(overview) {
    const explain::Explanation& explanation = overview.explanation;
    begin_ = explanation.begin;
    end_ = begin_ + 1;
    for (const engine::SyncTime& call : explanation.prediction.sync_times)
      end_ = std::max(end_, call.end);
    for (const explain::ExplainedCommit& commit : explanation.commits)
      end_ = std::max(end_, commit.record.end);
    overview.parts.resize(kParts);
    overview.part_seconds = static_cast<double>(end_ - begin_) / 1e9 / kParts;
  }

  void fill() {
    const explain::Explanation& explanation = overview_.explanation;
    const bool predicted = explanation.prediction.latency.predicted;
    for (const engine::SyncTime& call : explanation.prediction.sync_times) {
      Part& part = part_at(call.end);
      ++part.sync_calls;
      part.slowest =
          std::max(part.slowest, predicted ? call.duration() : std::max<Time>(call.recorded, 0));
    }
    for (const explain::ExplainedCommit& commit : explanation.commits)
      ++part_at(commit.record.end).full_commits[static_cast<std::size_t>(commit.record.cause)];
    fill_area();
  }

  // The greatest ages of equal parts of the time, fewer than ours.
  void fill_risk(const std::vector<double>& curve) {
    if (curve.empty()) return;
    for (std::size_t i = 0; i < kParts; ++i)
      overview_.parts[i].risk_flushed = curve[i * curve.size() / kParts];
  }

 private:
  Part& part_at(Time time) {
    const double share = static_cast<double>(time - begin_) / static_cast<double>(end_ - begin_);
    const auto index = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kParts);
    return overview_.parts[std::min(index, kParts - 1)];
  }

  // What fast commits have filled since the last full commit, which the area starts over with.
  void fill_area() {
    std::vector<std::pair<Time, std::uint64_t>> changes;  // blocks added; 0: starts over
    for (const explain::ExplainedAttempt& attempt : overview_.explanation.attempts) {
      if (attempt.record.outcome != model::Outcome::ok) continue;
      ++part_at(attempt.record.end).fast_commits;
      changes.emplace_back(attempt.record.end, attempt.record.blocks);
    }
    for (const explain::ExplainedCommit& commit : overview_.explanation.commits)
      changes.emplace_back(commit.record.end, 0);
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t filled = 0;
    auto change = changes.begin();
    for (std::size_t i = 0; i < kParts; ++i) {
      std::uint64_t& most = overview_.parts[i].area_blocks;
      most = filled;
      for (; change != changes.end() && &part_at(change->first) == &overview_.parts[i]; ++change) {
        filled = change->second == 0 ? 0 : filled + change->second;
        most = std::max(most, filled);
      }
    }
  }

  Overview& overview_;
  Time begin_ = 0;
  Time end_ = 0;
};

void count_fast_commits(Overview& overview) {
  for (const explain::ExplainedAttempt& attempt : overview.explanation.attempts) {
    const model::FastCommitRecord& record = attempt.record;
    if (record.outcome != model::Outcome::ok) continue;
    ++overview.blocks[record.blocks];
    if (record.inodes != 0) ++overview.ranges[(record.ranges + record.inodes - 1) / record.inodes];
  }
}

void find_slow_calls(Overview& overview) {
  const explain::Explanation& explanation = overview.explanation;
  const engine::Prediction& prediction = explanation.prediction;
  std::map<std::pair<std::uint16_t, std::uint64_t>, compare::SyncOutcome> outcomes;
  const auto outcome_of = [&](const model::Origin& origin) -> compare::SyncOutcome& {
    return outcomes[{origin.source, origin.line}];
  };
  for (const explain::ExplainedAttempt& attempt : explanation.attempts)
    if (attempt.record.outcome == model::Outcome::ok)
      outcome_of(attempt.record.origin).fast_blocks = attempt.record.blocks;
  for (const explain::ExplainedCommit& commit : explanation.commits)
    outcome_of(commit.record.origin).full_cause = commit.record.cause;
  std::vector<const engine::SyncTime*> calls;
  const auto took = [&](const engine::SyncTime& call) {
    return prediction.latency.predicted ? call.duration() : call.recorded;
  };
  for (const engine::SyncTime& call : prediction.sync_times)
    if (took(call) >= 0) calls.push_back(&call);
  const std::size_t count = std::min(kSlowCalls, calls.size());
  std::partial_sort(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(count), calls.end(),
                    [&](const engine::SyncTime* a, const engine::SyncTime* b) {
                      return std::pair(-took(*a), a) < std::pair(-took(*b), b);
                    });
  for (std::size_t i = 0; i < count; ++i)
    overview.slow_calls.push_back(
        {explanation.traced.find(calls[i]->origin), took(*calls[i]), outcome_of(calls[i]->origin)});
}

// ---- other questions ------------------------------------------------------------------------

void compare_sides(const OverviewRequest& request, Overview& overview) {
  if (!request.a || !request.b) return;
  compare::CompareRequest question;
  question.common = many_of(request);
  question.a = *request.a;
  question.b = *request.b;
  overview.comparison = compare::compare(question);
}

void sweep_settings(const OverviewRequest& request, Overview& overview) {
  if (request.parameters.empty()) return;
  sweep::SweepRequest question;
  question.common = many_of(request);
  question.configuration = request.configuration;
  question.parameters = request.parameters;
  overview.sweep = sweep::sweep(question);
}

void validate_bundle(const OverviewRequest& request, Overview& overview) {
  if (replay::find_inputs(request.inputs).truth.empty()) return;
  validate::ValidateRequest question;
  question.configuration = request.configuration;
  question.strict = request.strict;
  overview.validation = validate::validate_bundle(request.inputs.front(), question);
}

void expose_data(const OverviewRequest& request, Overview& overview, Timeline& timeline) {
  if (!request.data_at_risk) return;
  exposure::ExposureRequest question;
  question.session = session_of(request);
  try {
    overview.exposure = exposure::expose(question);
  } catch (const std::exception& error) {
    overview.no_exposure = error.what();
    return;
  }
  timeline.fill_risk(
      overview.exposure->ages[static_cast<std::size_t>(model::exposure::Kept::flushed)].curve);
}

}  // namespace

Overview look_at(const OverviewRequest& request) {
  Overview overview;
  overview.name = request.inputs.front();
  overview.explanation = explained(request);
  overview.warnings = overview.explanation.warnings;
  Timeline timeline(overview);
  timeline.fill();
  count_fast_commits(overview);
  find_slow_calls(overview);
  compare_sides(request, overview);
  sweep_settings(request, overview);
  const model::Configuration& values = overview.explanation.configuration.values;
  if (overview.explanation.prediction.fast_commit_active)
    overview.area = values.filesystem.fast_commit_blocks != 0
                        ? values.filesystem.fast_commit_blocks
                        : values.kernel.fast_commit.default_blocks;
  validate_bundle(request, overview);
  expose_data(request, overview, timeline);
  return overview;
}

}  // namespace fcsim::questions::overview
