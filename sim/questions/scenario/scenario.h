// A scenario: an administrator's steps and runs of recorded programs, in order, as a TOML file.
//
//   configuration = ["environment.toml"]   # on which the steps build; may be missing
//   mount_point = "/mnt/data"              # of bare traces
//   [[step]]
//   mkfs = "-O ^fast_commit 512M"
//   [[step]]
//   mount = ""
//   [[step]]
//   run = "trace.strace"                   # or a bundle; relative to the scenario's folder
#pragma once

#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"
#include "sim/replay/step.h"

namespace fcsim::questions::scenario {

using replay::Step;
using replay::StepKind;

struct Scenario {
  std::string path;
  std::vector<std::string> configuration_files;  // relative names are of the scenario's folder
  std::string mount_point;                       // empty: not given
  std::vector<Step> steps;                       // a run's text is a path that exists
};

// Throws InputError with line and column: unknown keys, a step that is none or two, a trace that is
// not there, options that are not understood, steps that cannot follow each other.
Scenario read_scenario(const std::string& path);

struct ScenarioRequest {
  std::string path;
  configuration::LoadRequest
      configuration;        // on top of the first bundle's env.toml and the scenario's own files
  std::string mount_point;  // overrides all others; empty: not given
  bool strict = false;      // a line that cannot be parsed is an error
};

struct StepResult {
  Step step;
  bool mounted = false;
  engine::Prediction counted;  // what /proc shows after the step, since the mount; only if mounted
};

struct ScenarioResult {
  configuration::LoadedConfiguration configuration;
  std::vector<StepResult> steps;
  engine::Prediction basis;           // `assumed` and `unsupported` alone
  std::vector<std::string> warnings;  // for standard error
};

// Throws InputError, at the step where one is to blame.
ScenarioResult run_scenario(const ScenarioRequest& request);

}  // namespace fcsim::questions::scenario
