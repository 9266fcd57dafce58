#include "sim/questions/compare/compare.h"

#include <algorithm>
#include <utility>

namespace fcsim::questions::compare {
namespace {

// As TOML writes it, near enough to be read.
std::string text_of(const std::optional<configuration::Value>& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const {
      std::string text = std::to_string(v);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.ends_with('.')) text.pop_back();
      return text;
    }
    std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
    std::string operator()(const std::vector<std::string>& v) const {
      std::string text;
      for (const std::string& item : v) text += (text.empty() ? "\"" : ", \"") + item + "\"";
      return "[" + text + "]";
    }
    std::string operator()(const std::vector<std::int64_t>&) const { return ""; }
    std::string operator()(const configuration::UnusableValue&) const { return ""; }
  };
  return value ? std::visit(Visitor{}, *value) : "";
}

void add_side(std::vector<CounterPair>& pairs, const std::string& name, std::uint64_t value,
              std::optional<std::uint64_t> CounterPair::*side) {
  auto found = std::find_if(pairs.begin(), pairs.end(),
                            [&](const CounterPair& pair) { return pair.name == name; });
  if (found == pairs.end()) {
    pairs.push_back({name, {}, {}});
    found = pairs.end() - 1;
  }
  (*found).*side = value;
}

void find_changes(CompareResult& result, const SyncLog& log, std::size_t limit) {
  const SyncOutcomes outcomes_a(result.a);
  const SyncOutcomes outcomes_b(result.b);
  result.sync_calls = log.calls().size();
  for (const SyncCall& call : log.calls()) {
    const SyncOutcome a = outcomes_a.of(call);
    const SyncOutcome b = outcomes_b.of(call);
    if (a.same_path(b)) continue;
    if (result.changed++ < limit) result.changes.push_back({call, log.path_of(call), a, b});
  }
}

}  // namespace

std::vector<SettingPair> differing_settings(const configuration::Settings& a,
                                            const configuration::Settings& b) {
  std::vector<SettingPair> differing;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    SettingPair pair{key.full_name(), text_of(key.get ? key.get(a) : std::nullopt),
                     text_of(key.get ? key.get(b) : std::nullopt)};
    if (pair.a != pair.b) differing.push_back(std::move(pair));
  }
  return differing;
}

std::vector<CounterPair> pair_counters(const engine::Prediction& a, const engine::Prediction& b) {
  std::vector<CounterPair> pairs;
  const auto add = [&](const engine::Prediction& prediction,
                       std::optional<std::uint64_t> CounterPair::*side) {
    for (const model::NamedCounter& counter : named_counters(prediction))
      add_side(pairs, counter.full_name(), counter.value, side);
  };
  add(a, &CounterPair::a);
  add(b, &CounterPair::b);
  return pairs;
}

CompareResult compare(const CompareRequest& request) {
  SyncLog log;
  replay::PredictManyRequest many = request.common;
  many.configurations = {request.a, request.b};
  many.keep_commits = true;
  many.observer = [&log](const model::Operation& operation,
                         const traces::resolve::Resolver& resolver) {
    log.observe(operation, resolver);
  };
  replay::Predictions predictions = predict_many(many);
  for (const replay::Outcome& outcome : predictions.outcomes)
    if (outcome.error) std::rethrow_exception(outcome.error);
  CompareResult result;
  result.configuration_a = std::move(predictions.outcomes[0].configuration);
  result.configuration_b = std::move(predictions.outcomes[1].configuration);
  result.a = std::move(predictions.outcomes[0].prediction);
  result.b = std::move(predictions.outcomes[1].prediction);
  result.trace_files = std::move(predictions.trace_files);
  result.warnings = std::move(predictions.warnings);
  result.settings = differing_settings(result.configuration_a, result.configuration_b);
  result.counters = pair_counters(result.a, result.b);
  find_changes(result, log, request.changes);
  return result;
}

}  // namespace fcsim::questions::compare
