#include "sim/questions/explain/explain.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/questions/compare/sync_log.h"
#include "sim/questions/explain/alternatives.h"
#include "sim/replay/decoder.h"
#include "sim/support/rereadable_inputs.h"

namespace fcsim::questions::explain {
namespace {

constexpr std::uint16_t kNoReason = 0xffff;

bool marks(const model::FullCommitRecord& record) {
  return record.cause == model::Cause::ineligible && record.marked_by.line != 0;
}

const model::Origin& at_fault(const model::FullCommitRecord& record) {
  return marks(record) ? record.marked_by : record.origin;
}

// Decodes the trace again, for what it says about the calls that matter.
void read_calls(Explanation& explanation, const ExplainRequest& request) {
  TracedCalls& traced = explanation.traced;
  for (const model::FullCommitRecord& record : explanation.prediction.full_commits) {
    traced.want(record.origin);
    traced.want(at_fault(record));
  }
  if (request.attempts)
    for (const model::FastCommitRecord& record : explanation.prediction.fast_commits)
      traced.want(record.origin);
  if (request.sync_calls) traced.want_all_syncs();
  if (request.times)
    for (const engine::SyncTime& call : explanation.prediction.sync_times) traced.want(call.origin);

  const replay::Inputs inputs = replay::find_inputs(request.session.inputs);
  const configuration::LoadedConfiguration& configuration = explanation.configuration;
  replay::TraceDecoder decoder(
      inputs, replay::decode_settings(configuration, request.session.strict),
      [&traced](const model::Operation& operation, const traces::resolve::Resolver& resolver) {
        traced.observe(operation, resolver);
      },
      [&traced](const traces::Event& event, const traces::resolve::Resolver& resolver) {
        traced.see(event, resolver);
      });
  replay::OperationChunk chunk;
  while (decoder.next(chunk)) {
  }
  explanation.begin = decoder.begin();
}

class Selection {
 public:
  Selection(const ExplainFilter& filter, const Explanation& explanation)
      : filter_(filter), explanation_(explanation), path_(filter.file) {
    const std::string below = explanation.configuration.mount_point + "/";
    if (path_.starts_with(below) && below != "/") path_.erase(0, below.size());
    while (path_.starts_with("./")) path_.erase(0, 2);
  }

  [[nodiscard]] bool fits(const ExplainedCommit& commit) const {
    if (filter_.cause && commit.record.cause != *filter_.cause) return false;
    return fits(commit.caused_by);
  }
  [[nodiscard]] bool fits(const ExplainedAttempt& attempt) const {
    return !filter_.cause && fits(attempt.asked_by);
  }
  [[nodiscard]] bool fits(std::uint32_t index) const {
    const Call* const call = explanation_.call(index);
    if (filter_.pid && (call == nullptr || call->origin.pid != *filter_.pid)) return false;
    return path_.empty() || (call != nullptr && explanation_.traced.strings()[call->path] == path_);
  }

 private:
  const ExplainFilter& filter_;
  const Explanation& explanation_;
  std::string path_;
};

// ---- times ----------------------------------------------------------------------------------

using Group = std::pair<std::string, std::int32_t>;  // name; pid where there is no name

// How long sync calls took, by the line that made them.
class CallTimes {
 public:
  explicit CallTimes(const engine::Prediction& prediction)
      : predicted_(prediction.latency.predicted) {
    for (const engine::SyncTime& call : prediction.sync_times)
      times_.emplace(std::pair(call.origin.source, call.origin.line), of(call));
  }
  [[nodiscard]] model::Time of(const engine::SyncTime& call) const {
    return predicted_ ? call.duration() : call.recorded >= 0 ? call.recorded : kNotTimed;
  }
  [[nodiscard]] model::Time of(const model::Origin& origin) const {
    const auto found = times_.find({origin.source, origin.line});
    return found == times_.end() ? kNotTimed : found->second;
  }

 private:
  bool predicted_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, model::Time> times_;
};

void add_price(Prices& prices, const compare::SyncOutcome& outcome, model::Time took) {
  if (took == kNotTimed) return;
  if (outcome.full_cause)
    prices.full[static_cast<std::size_t>(*outcome.full_cause)].add(took);
  else
    (outcome.fast_blocks ? prices.fast : prices.none).add(took);
}

std::vector<TimedShare> in_order_of_sums(std::map<Group, TimedShare> groups,
                                         const std::map<Group, std::set<std::int32_t>>& pids) {
  std::vector<TimedShare> shares;
  for (auto& [key, share] : groups) {
    share.name = key.first;
    share.pids.assign(pids.at(key).begin(), pids.at(key).end());
    shares.push_back(std::move(share));
  }
  const auto sum = [](const TimedShare& share) {
    return share.latency.predicted ? share.latency.times.total() : share.latency.recorded.total();
  };
  std::stable_sort(shares.begin(), shares.end(),
                   [&](const TimedShare& a, const TimedShare& b) { return sum(a) > sum(b); });
  return shares;
}

void sum_times(Explanation& explanation, const Selection& selection, const CallTimes& times) {
  const engine::Prediction& prediction = explanation.prediction;
  const compare::SyncOutcomes outcomes(prediction);
  const StringTable& strings = explanation.traced.strings();
  std::map<Group, TimedShare> programs;
  std::map<Group, TimedShare> files;
  std::map<Group, std::set<std::int32_t>> program_pids;
  std::map<Group, std::set<std::int32_t>> file_pids;
  const auto add_to = [&](auto& groups, auto& pids, const Group& key,
                          const engine::SyncTime& call) {
    engine::Latency& latency = groups[key].latency;
    latency.predicted = prediction.latency.predicted;
    latency.add(call);
    pids[key].insert(call.origin.pid);
  };
  for (const engine::SyncTime& timed : prediction.sync_times) {
    const std::uint32_t index = explanation.traced.find(timed.origin);
    if (index == kNoCall || !selection.fits(index)) continue;
    const Call& call = explanation.traced.calls()[index];
    compare::SyncCall place;
    place.source = timed.origin.source;
    place.line = timed.origin.line;
    add_price(explanation.prices, outcomes.of(place), times.of(timed));
    const std::string& program = strings[call.program];
    add_to(programs, program_pids, Group{program, program.empty() ? call.process : 0}, timed);
    if (call.path != 0) add_to(files, file_pids, Group{strings[call.path], 0}, timed);
  }
  explanation.program_times = in_order_of_sums(std::move(programs), program_pids);
  explanation.file_times = in_order_of_sums(std::move(files), file_pids);
}

void choose(Explanation& explanation, const ExplainRequest& request) {
  const Selection selection(request.filter, explanation);
  const CallTimes times(explanation.prediction);
  if (request.times) sum_times(explanation, selection, times);
  const TracedCalls& traced = explanation.traced;
  for (const model::FullCommitRecord& record : explanation.prediction.full_commits) {
    const ExplainedCommit commit{record, traced.find(record.origin), traced.find(at_fault(record)),
                                 times.of(record.origin)};
    if (selection.fits(commit)) explanation.commits.push_back(commit);
  }
  explanation.prediction.full_commits = {};
  if (request.attempts)
    for (const model::FastCommitRecord& record : explanation.prediction.fast_commits) {
      const ExplainedAttempt attempt{record, traced.find(record.origin), times.of(record.origin)};
      if (selection.fits(attempt)) explanation.attempts.push_back(attempt);
    }
  explanation.prediction.fast_commits = {};
  explanation.filtered = !request.filter.empty();
}

// ---- sums -----------------------------------------------------------------------------------

void add(Share& share, const model::FullCommitRecord& record) {
  ++share.commits;
  share.fast_commits += record.fast_commits;
  share.blocks_logged += record.blocks_logged;
}

bool worse(const Share& a, const Share& b) {
  return std::tie(a.commits, a.fast_commits) > std::tie(b.commits, b.fast_commits);
}

void sum_causes(Explanation& explanation) {
  std::map<model::Cause, Share> shares;
  std::map<std::pair<std::string, std::string>, std::uint64_t> marks;
  for (const ExplainedCommit& commit : explanation.commits) {
    add(shares[commit.record.cause], commit.record);
    if (commit.record.cause != model::Cause::ineligible) continue;
    const Call* const call = explanation.call(commit.caused_by);
    ++marks[{explanation.reason_of(commit.record),
             call == nullptr ? "" : explanation.traced.strings()[call->name]}];
  }
  for (const auto& [cause, share] : shares) explanation.causes.push_back({cause, share, {}});
  std::stable_sort(
      explanation.causes.begin(), explanation.causes.end(),
      [](const CauseShare& a, const CauseShare& b) { return worse(a.share, b.share); });
  for (CauseShare& share : explanation.causes) {
    if (share.cause != model::Cause::ineligible) continue;
    for (const auto& [what, count] : marks) share.marks.push_back({what.first, what.second, count});
    std::stable_sort(share.marks.begin(), share.marks.end(),
                     [](const auto& a, const auto& b) { return a.commits > b.commits; });
  }
}

// `key_of` gives the group a call belongs to.
template <class KeyOf>
std::vector<NamedShare> sum_by(const Explanation& explanation, const KeyOf& key_of) {
  std::map<Group, NamedShare> groups;
  std::map<Group, std::set<std::int32_t>> pids;
  for (const ExplainedCommit& commit : explanation.commits) {
    const Call* const call = explanation.call(commit.caused_by);
    if (call == nullptr) continue;
    const std::optional<Group> key = key_of(*call);
    if (!key) continue;
    NamedShare& share = groups[*key];
    share.name = key->first;
    add(share.share, commit.record);
    ++share.causes[static_cast<std::size_t>(commit.record.cause)];
    pids[*key].insert(call->origin.pid);
  }
  std::vector<NamedShare> shares;
  for (auto& [key, share] : groups) {
    share.pids.assign(pids[key].begin(), pids[key].end());
    shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(), [](const NamedShare& a, const NamedShare& b) {
    return worse(a.share, b.share);
  });
  return shares;
}

void sum_programs_and_files(Explanation& explanation) {
  const StringTable& strings = explanation.traced.strings();
  explanation.programs = sum_by(explanation, [&](const Call& call) -> std::optional<Group> {
    const std::string& name = strings[call.program];
    return Group{name, name.empty() ? call.process : 0};
  });
  explanation.files = sum_by(explanation, [&](const Call& call) -> std::optional<Group> {
    if (call.path == 0) return std::nullopt;
    return Group{strings[call.path], 0};
  });
}

Explanation explain_rereadable(const ExplainRequest& request) {
  replay::SessionRequest with_commits = request.session;
  with_commits.keep_commits = true;
  replay::Session session = predict(with_commits);
  Explanation explanation;
  explanation.configuration = std::move(session.configuration);
  explanation.prediction = std::move(session.prediction);
  explanation.trace_files = std::move(session.trace_files);
  explanation.warnings = std::move(session.warnings);
  read_calls(explanation, request);
  choose(explanation, request);
  sum_causes(explanation);
  sum_programs_and_files(explanation);
  if (request.advice) explanation.alternatives = find_alternatives(request.session, explanation);
  return explanation;
}

}  // namespace

std::string Explanation::reason_of(const model::FullCommitRecord& record) const {
  const std::vector<std::string>& names = configuration.values.kernel.ineligible.reasons;
  if (record.cause != model::Cause::ineligible || record.reason == kNoReason ||
      record.reason >= names.size())
    return "";
  return names[record.reason];
}

Explanation explain(const ExplainRequest& request) {
  const support::RereadableInputs inputs(request.session.inputs);
  ExplainRequest rereadable = request;
  rereadable.session.inputs = inputs.names();
  try {
    Explanation explanation = explain_rereadable(rereadable);
    for (std::string& file : explanation.trace_files) file = inputs.with_original_names(file);
    for (std::string& warning : explanation.warnings) warning = inputs.with_original_names(warning);
    return explanation;
  } catch (const model::InputError& error) {
    throw inputs.with_original_names(error);
  }
}

}  // namespace fcsim::questions::explain
