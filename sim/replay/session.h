// From a bundle or trace to a prediction: the pipeline put together.
#pragma once

#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"

namespace fcsim::replay {

struct SessionRequest {
  // One bundle folder, or the files of one trace ("-": standard input).
  std::vector<std::string> inputs;
  configuration::LoadRequest configuration;  // on top of the bundle's env.toml
  std::string mount_point;                   // overrides [trace] mount_point; empty: not given
  bool strict = false;                       // a line that cannot be parsed is an error
  bool keep_commits = false;                 // fill the prediction's lists of commits
  unsigned threads = 1;  // 2: the next calls are parsed while the last ones are simulated
};

struct Session {
  configuration::LoadedConfiguration configuration;
  engine::Prediction prediction;
  std::vector<std::string> trace_files;  // what Origin::source counts in
  std::vector<std::string> warnings;     // for standard error: lines skipped and the like
};

// Throws InputError for anything wrong with the input.
Session predict(const SessionRequest& request);

}  // namespace fcsim::replay
