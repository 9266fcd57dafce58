// Predictions against the kernel's counters for many bundles.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/questions/validate/comparison.h"
#include "sim/questions/validate/first_difference.h"
#include "sim/questions/validate/trace_lines.h"

namespace fcsim::questions::validate {

struct ValidateRequest {
  std::vector<std::string> paths;            // bundles, or folders in which bundles are looked for
  configuration::LoadRequest configuration;  // on top of each bundle's env.toml
  unsigned threads = 1;
  bool strict = false;
  bool blocks = false;            // compare the blocks of full commits
  bool first_difference = false;  // look for the first commit that differs
  // A kernel trace as text, to compare the one trace or bundle of `paths` with; "": truth.toml.
  std::string truth;
  std::string truth_device;  // as in read_trace_text()
};

// One of several runs of the command in a bundle.
struct StageResult {
  std::string admin;  // the step before it
  Verdict verdict = Verdict::differs;
  std::vector<ComparedCounter> counters;
};

struct BundleResult {
  std::string path;
  Verdict verdict = Verdict::failed;
  std::string reason;  // of failed and skipped
  std::vector<ComparedCounter> counters;
  std::vector<StageResult> stages;  // where an administrator's steps lay between
  std::optional<BlockShare> blocks;
  std::optional<FirstDifference> first;
  std::optional<TraceLine> predicted_line;  // the call that led to the predicted side of `first`
  std::optional<TraceLine> kernel_line;     // the call under way when the kernel's side began
};

BundleResult validate_bundle(const std::string& bundle, const ValidateRequest& request);

// Validates all on `threads` threads and hands over the results in the order of find_bundles(),
// each as soon as those before it are done. `sink` runs on the calling thread.
void validate(const ValidateRequest& request, const std::function<void(const BundleResult&)>& sink);

}  // namespace fcsim::questions::validate
