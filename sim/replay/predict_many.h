// Predictions of one trace under many configurations, each the same to the byte as if it had been
// asked for alone. `run`, `compare`, `sweep` and `tune` all come through here.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"
#include "sim/replay/decoder.h"

namespace fcsim::replay {

// How far things are.
struct Progress {
  std::uint64_t operations = 0;  // of the trace, taken by the configurations now at work
  std::size_t at_work = 0;       // configurations
  std::size_t done = 0;
  std::size_t all = 0;
};

struct PredictManyRequest {
  std::vector<std::string> inputs;  // one bundle folder, or the files of one trace
  std::vector<configuration::LoadRequest> configurations;  // each on top of the bundle's env.toml
  std::string mount_point;    // overrides [trace] mount_point; empty: not given
  bool strict = false;        // a line that cannot be parsed is an error
  bool keep_commits = false;  // fill the predictions' lists of commits
  unsigned threads = 1;
  TraceDecoder::Observer observer;                // of one decoding of the trace
  std::function<void(const Progress&)> progress;  // called on the calling thread
};

struct Outcome {
  configuration::LoadedConfiguration configuration;
  engine::Prediction prediction;
  std::exception_ptr error;  // set instead where the configuration was refused
};

struct Predictions {
  std::vector<Outcome> outcomes;         // in the order asked for
  std::vector<std::string> trace_files;  // what Origin::source counts in
  std::vector<std::string> warnings;     // for standard error
  std::size_t runs = 0;                  // of an engine over the trace that it took
};

// Throws InputError for anything wrong with the trace; what is wrong with one configuration is in
// its outcome.
Predictions predict_many(const PredictManyRequest& request);

// The configuration for this trace: the request on top of the bundle's env.toml. `mount_point` as
// in PredictManyRequest. Throws InputError.
configuration::LoadedConfiguration load_for(const Inputs& inputs, configuration::LoadRequest wanted,
                                            const std::string& mount_point,
                                            configuration::Loader& loader);
configuration::LoadedConfiguration load_for(const Inputs& inputs,
                                            const configuration::LoadRequest& wanted,
                                            const std::string& mount_point);

// What the exception says. Rethrows what is no fault of a configuration (std::bad_alloc).
std::string message_of(const std::exception_ptr& error);

}  // namespace fcsim::replay
