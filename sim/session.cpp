#include "sim/session.h"

#include <algorithm>
#include <filesystem>

#include "sim/engine.h"
#include "sim/recorded_setup.h"
#include "sim/validation/truth.h"
#include "traces/bundle.h"
#include "traces/manifest.h"
#include "traces/reader.h"
#include "traces/resolver.h"

namespace fcsim::sim {
namespace {

// What the inputs turned out to be.
struct Inputs {
  std::vector<std::string> trace_files;
  std::string environment;  // "" without a bundle
  std::string manifest;
  std::string truth;
};

Inputs find_inputs(const std::vector<std::string>& given) {
  Inputs inputs;
  if (given.size() == 1 && std::filesystem::is_directory(given.front())) {
    const traces::Bundle bundle = traces::find_bundle(given.front());
    inputs.trace_files = {bundle.trace};
    inputs.environment = bundle.environment;
    inputs.manifest = bundle.manifest;
    inputs.truth = bundle.truth;
    return inputs;
  }
  for (const std::string& path : given)
    if (std::filesystem::is_directory(path))
      throw InputError({path, 0, 0}, "is a folder; a bundle is given alone");
  inputs.trace_files = given;
  return inputs;
}

LoadedConfiguration load_configuration(const SessionRequest& request, const Inputs& inputs) {
  LoadRequest load_request = request.configuration;
  if (!inputs.environment.empty())
    load_request.files.insert(load_request.files.begin(), inputs.environment);
  LoadedConfiguration configuration = load(load_request);
  if (!request.mount_point.empty()) configuration.mount_point = request.mount_point;
  return configuration;
}

// The machine's timers go on until the counters were read, if the bundle says when that was.
model::Time end_of_observation(const Inputs& inputs, model::Time end_of_trace) {
  if (inputs.truth.empty()) return end_of_trace;
  return std::max(end_of_trace, read_truth(inputs.truth).read_at.value_or(end_of_trace));
}

// Feeds the trace through the resolver into the engine, with memory for one event at a time.
class Pipeline {
 public:
  Pipeline(traces::TraceReader& reader, traces::Resolver& resolver, Engine& engine)
      : reader_(reader), resolver_(resolver), engine_(engine) {}

  // Returns the time of the last thing seen.
  model::Time run() {
    for (traces::Event event; reader_.next(event);) {
      resolver_.resolve(event, operations_);
      replay();
    }
    resolver_.finish(operations_);
    replay();
    return std::max(end_, reader_.statistics().last_time_ns);
  }

 private:
  void replay() {
    for (const model::Operation& operation : operations_) {
      end_ = std::max({end_, operation.start, operation.end});
      engine_.replay(operation);
    }
    operations_.clear();
  }

  traces::TraceReader& reader_;
  traces::Resolver& resolver_;
  Engine& engine_;
  std::vector<model::Operation> operations_;
  model::Time end_ = 0;
};

std::vector<std::string> warnings_of(const traces::ReaderStatistics& statistics) {
  std::vector<std::string> warnings;
  for (const traces::Diagnostic& diagnostic : statistics.first_diagnostics)
    warnings.push_back(to_string(diagnostic.position) + ": line skipped: " + diagnostic.message);
  const std::uint64_t shown = statistics.first_diagnostics.size();
  if (statistics.unparsable > shown)
    warnings.push_back("and " + std::to_string(statistics.unparsable - shown) +
                       " more lines that could not be parsed");
  return warnings;
}

// What reader and resolver could not see becomes part of the answer.
void add_reservations(Prediction& prediction, const traces::ReaderStatistics& statistics,
                      const traces::Resolver& resolver) {
  const auto add = [&](const char* what, std::uint64_t count) {
    if (count != 0) prediction.unsupported[what] += count;
  };
  add("lines that could not be parsed", statistics.unparsable);
  add("calls whose second half is missing", statistics.never_resumed);
  add("calls whose first half is missing", statistics.orphan_resumed);
  for (const auto& [what, count] : resolver.unsupported()) prediction.unsupported[what] += count;
  const std::vector<std::string> assumed = resolver.assumed();
  prediction.assumed.insert(prediction.assumed.begin(), assumed.begin(), assumed.end());
  if (statistics.time_base == traces::TimeBase::none && statistics.events != 0)
    prediction.assumed.emplace_back("the trace has no times: all calls at once, no timer runs");
}

}  // namespace

Session predict(const SessionRequest& request) {
  const Inputs inputs = find_inputs(request.inputs);
  Session session;
  session.configuration = load_configuration(request, inputs);
  session.trace_files = inputs.trace_files;
  model::InitialState initial;
  if (!inputs.manifest.empty()) initial = traces::read_manifest(inputs.manifest);

  const auto reader = traces::open_strace(inputs.trace_files, {.strict = request.strict});
  traces::Resolver resolver({session.configuration.mount_point}, initial);
  apply_setup(session.configuration.setup, resolver, initial);
  Engine engine(session.configuration.values, initial, {.keep_commits = request.keep_commits});
  const model::Time end = Pipeline(*reader, resolver, engine).run();
  session.prediction = engine.finish(end_of_observation(inputs, end));
  add_reservations(session.prediction, reader->statistics(), resolver);
  session.warnings = warnings_of(reader->statistics());
  return session;
}

}  // namespace fcsim::sim
