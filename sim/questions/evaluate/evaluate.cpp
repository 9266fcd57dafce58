#include "sim/questions/evaluate/evaluate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "sim/questions/exposure/exposure.h"
#include "sim/replay/bundle_search.h"
#include "sim/support/crew.h"

namespace fcsim::questions::evaluate {
namespace {

std::uint64_t value_of(const std::vector<compare::CounterPair>& counters, const std::string& name,
                       std::optional<std::uint64_t> compare::CounterPair::*side) {
  const auto found =
      std::find_if(counters.begin(), counters.end(),
                   [&](const compare::CounterPair& pair) { return pair.name == name; });
  return found == counters.end() ? 0 : ((*found).*side).value_or(0);
}

configuration::LoadRequest side(const EvaluateRequest& request, const std::string& profile) {
  configuration::LoadRequest load = request.shared;
  load.profile = profile;
  return load;
}

// Rules alone: what a profile does not say is no part of the patch.
std::vector<compare::SettingPair> differing_rules(const EvaluateRequest& request,
                                                  Evaluation& evaluation) {
  const configuration::LoadedConfiguration before =
      configuration::load(side(request, evaluation.against));
  const configuration::LoadedConfiguration after =
      configuration::load(side(request, evaluation.patch));
  evaluation.summary = after.values.kernel.summary;
  std::vector<compare::SettingPair> rules = compare::differing_settings(before, after);
  std::erase_if(rules, [](const compare::SettingPair& pair) {
    const std::size_t dot = pair.key.find('.');
    const configuration::Key* const key =
        configuration::find_key(pair.key.substr(0, dot), pair.key.substr(dot + 1));
    return key == nullptr || key->role != configuration::KeyRole::rule;
  });
  return rules;
}

std::vector<std::string> traces_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> traces;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (std::filesystem::is_directory(input, error))
      for (std::string& bundle : replay::find_bundles({input})) traces.push_back(std::move(bundle));
    else
      traces.push_back(input);
  }
  return traces;
}

// ---- promises -------------------------------------------------------------------------------

using Place = std::pair<std::uint16_t, std::uint64_t>;  // source, line

std::map<Place, Promise> broken_promises(const EvaluateRequest& request, const std::string& input,
                                         const std::string& profile) {
  exposure::ExposureRequest question;
  question.session.inputs = {input};
  question.session.configuration = side(request, profile);
  question.session.mount_point = request.mount_point;
  question.session.strict = request.strict;
  const exposure::Exposure exposure = exposure::expose(question);
  std::map<Place, Promise> broken;
  for (const model::exposure::BrokenPromise& promise : exposure.broken) {
    const Place place{promise.call.source, promise.call.line};
    const auto call =
        exposure.calls.find(promise.call.line | (std::uint64_t{promise.call.source} << 48U));
    broken.emplace(place, Promise{call == exposure.calls.end() ? "a sync call" : call->second,
                                  exposure.trace_files[promise.call.source], promise.call.line,
                                  promise.breach});
  }
  return broken;
}

void compare_promises(const EvaluateRequest& request, const Evaluation& evaluation,
                      TraceResult& result) {
  const std::map<Place, Promise> before =
      broken_promises(request, result.input, evaluation.against);
  const std::map<Place, Promise> after = broken_promises(request, result.input, evaluation.patch);
  result.promises_known = true;
  result.broken_before = before.size();
  result.broken_after = after.size();
  for (const auto& [place, promise] : after)
    if (!before.contains(place)) result.newly_broken.push_back(promise);
  for (const auto& [place, promise] : before)
    if (!after.contains(place)) result.newly_kept.push_back(promise);
}

// ---- one trace ------------------------------------------------------------------------------

void predict(const EvaluateRequest& request, const Evaluation& evaluation, unsigned threads,
             TraceResult& result, std::vector<std::string>& warnings) {
  compare::CompareRequest question;
  question.common.inputs = {result.input};
  question.common.mount_point = request.mount_point;
  question.common.strict = request.strict;
  question.common.threads = threads;
  question.a = side(request, evaluation.against);
  question.b = side(request, evaluation.patch);
  question.changes = 1;
  compare::CompareResult compared = compare::compare(question);
  result.counters = std::move(compared.counters);
  result.before = std::move(compared.a.latency);
  result.after = std::move(compared.b.latency);
  result.sync_calls = compared.sync_calls;
  result.changed = compared.changed;
  if (!compared.changes.empty()) {
    result.first_change = compared.changes.front();
    result.first_change_file = compared.trace_files[result.first_change->call.source];
  }
  for (const std::string& warning : compared.warnings)
    warnings.push_back(result.input + ": " + warning);
}

// A trace that exposure refuses (stages, another file system) has a prediction all the same.
void evaluate_trace(const EvaluateRequest& request, const Evaluation& evaluation, unsigned threads,
                    TraceResult& result, std::vector<std::string>& warnings) {
  try {
    predict(request, evaluation, threads, result, warnings);
  } catch (const std::exception& error) {
    result.error = error.what();
    return;
  }
  if (!request.promises) return;
  try {
    compare_promises(request, evaluation, result);
  } catch (const std::exception& error) {
    warnings.push_back(result.input + ": broken promises are not known: " + error.what());
  }
}

// ---- sums -----------------------------------------------------------------------------------

void add_counters(std::vector<compare::CounterPair>& total,
                  const std::vector<compare::CounterPair>& part) {
  for (const compare::CounterPair& pair : part) {
    auto found = std::find_if(total.begin(), total.end(), [&](const compare::CounterPair& known) {
      return known.name == pair.name;
    });
    if (found == total.end()) found = total.insert(total.end(), {pair.name, {}, {}});
    if (pair.a) found->a = found->a.value_or(0) + *pair.a;
    if (pair.b) found->b = found->b.value_or(0) + *pair.b;
  }
}

void add_to_total(TraceResult& total, const TraceResult& trace) {
  if (!trace.error.empty()) return;
  add_counters(total.counters, trace.counters);
  total.before.add(trace.before);
  total.after.add(trace.after);
  total.sync_calls += trace.sync_calls;
  total.changed += trace.changed;
  total.promises_known |= trace.promises_known;
  total.broken_before += trace.broken_before;
  total.broken_after += trace.broken_after;
}

}  // namespace

std::uint64_t journal_blocks(std::uint64_t numblks, std::uint64_t blocks_logged) {
  return numblks + blocks_logged;
}

std::uint64_t TraceResult::before_of(const std::string& counter) const {
  return value_of(counters, counter, &compare::CounterPair::a);
}

std::uint64_t TraceResult::after_of(const std::string& counter) const {
  return value_of(counters, counter, &compare::CounterPair::b);
}

Verdict TraceResult::verdict() const {
  const auto cost = [this](std::uint64_t (TraceResult::*of)(const std::string&) const) {
    return std::pair(
        (this->*of)("jbd2.transactions"),
        journal_blocks((this->*of)("fc_info.numblks"), (this->*of)("jbd2.blocks_logged")));
  };
  const auto cost_before = cost(&TraceResult::before_of);
  const auto cost_after = cost(&TraceResult::after_of);
  return cost_after < cost_before   ? Verdict::better
         : cost_after > cost_before ? Verdict::worse
                                    : Verdict::same;
}

std::size_t Evaluation::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(traces.begin(), traces.end(), [verdict](const TraceResult& trace) {
        return trace.error.empty() && trace.verdict() == verdict;
      }));
}

std::size_t Evaluation::failed() const {
  return static_cast<std::size_t>(std::count_if(
      traces.begin(), traces.end(), [](const TraceResult& trace) { return !trace.error.empty(); }));
}

Evaluation evaluate(const EvaluateRequest& request) {
  Evaluation evaluation;
  evaluation.patch = request.patch;
  const std::string parent =
      configuration::parent_profile(request.patch, request.shared.directories);
  evaluation.against = request.against.empty() ? parent : request.against;
  evaluation.rules = differing_rules(request, evaluation);
  for (const std::string& input : traces_of(request.inputs))
    evaluation.traces.emplace_back().input = input;
  const std::size_t all = evaluation.traces.size();
  std::vector<std::vector<std::string>> warnings(all);
  const unsigned within = all == 1 ? request.threads : 1;
  support::Crew crew(static_cast<unsigned>(std::min<std::size_t>(request.threads, all)));
  // In rounds, so that the caller hears of progress between them.
  const std::size_t round = std::max<std::size_t>(1, 4 * std::size_t{request.threads});
  for (std::size_t begin = 0; begin < all; begin += round) {
    const std::size_t end = std::min(all, begin + round);
    crew.run(
        end - begin,
        [&](std::size_t i) {
          evaluate_trace(request, evaluation, within, evaluation.traces[begin + i],
                         warnings[begin + i]);
        },
        [] {});
    if (request.progress) request.progress(end, all);
  }
  for (std::size_t i = 0; i < all; ++i) {
    add_to_total(evaluation.total, evaluation.traces[i]);
    for (std::string& warning : warnings[i]) evaluation.warnings.push_back(std::move(warning));
  }
  return evaluation;
}

}  // namespace fcsim::questions::evaluate
