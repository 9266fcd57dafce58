// All that a page shows about one trace: what other questions find, and the trace in equal parts of
// its time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/questions/compare/compare.h"
#include "sim/questions/explain/explain.h"
#include "sim/questions/exposure/exposure.h"
#include "sim/questions/sweep/sweep.h"
#include "sim/questions/validate/validate.h"

namespace fcsim::questions::overview {

struct OverviewRequest {
  std::vector<std::string> inputs;  // one bundle folder, or the files of one trace
  configuration::LoadRequest configuration;
  std::string mount_point;  // as in replay::PredictManyRequest
  bool strict = false;
  unsigned threads = 1;
  // Side by side, on top of nothing else; both or none.
  std::optional<configuration::LoadRequest> a, b;
  std::vector<sweep::Parameter> parameters;  // empty: no sweep
  bool data_at_risk = true;                  // replays the trace once more
};

// An equal part of the time. Commits belong to the part that they end in.
struct Part {
  std::uint64_t sync_calls = 0;
  std::uint64_t fast_commits = 0;
  std::array<std::uint64_t, model::kCauses> full_commits{};
  std::uint64_t area_blocks = 0;  // of fast commits in the area, at most
  double risk_flushed = 0;  // age of the oldest write that a power cut loses, seconds, at most
  model::Time slowest = 0;  // sync call, nanoseconds; as recorded, or as predicted
};

// A number of fast commits by a number of each.
using Histogram = std::map<std::uint64_t, std::uint64_t>;

// One of the calls that took longest.
struct SlowCall {
  std::uint32_t call = explain::kNoCall;  // index into the explanation's calls
  model::Time took = 0;                   // nanoseconds
  compare::SyncOutcome outcome;
};

struct Overview {
  std::string name;  // of the bundle or trace, as given
  explain::Explanation explanation;
  std::vector<Part> parts;
  double part_seconds = 0;  // length of each
  std::uint64_t area = 0;   // blocks that the fast-commit area has; 0: not known
  Histogram blocks;         // of a fast commit
  Histogram ranges;         // of a fast commit, for each inode, rounded up
  std::vector<SlowCall> slow_calls;
  std::optional<compare::CompareResult> comparison;
  std::optional<sweep::Sweep> sweep;
  std::optional<validate::BundleResult> validation;  // where the bundle has truth
  std::optional<exposure::Exposure> exposure;
  std::string no_exposure;  // why there is none; empty where there is, or none is wanted
  std::vector<std::string> warnings;
};

// Throws InputError.
Overview look_at(const OverviewRequest& request);

}  // namespace fcsim::questions::overview
