// Two configurations over one trace, side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/questions/compare/sync_log.h"
#include "sim/replay/predict_many.h"

namespace fcsim::questions::compare {

struct CompareRequest {
  replay::PredictManyRequest
      common;  // its `configurations`, `observer`, `keep_commits` are made here
  configuration::LoadRequest a, b;
  std::size_t changes = 10;  // sync calls to list whose path changed
};

// A counter by the name `run -f csv` gives it; nullopt where that side's kernel does not have it.
struct CounterPair {
  std::string name;
  std::optional<std::uint64_t> a, b;
};

// A key whose value differs, as TOML writes it; "" where it has none.
struct SettingPair {
  std::string key;
  std::string a, b;
};

// A sync call with another outcome under B than under A.
struct PathChange {
  SyncCall call;
  std::string path;  // of the file, relative to the mount point
  SyncOutcome a, b;
};

struct CompareResult {
  configuration::LoadedConfiguration configuration_a, configuration_b;
  engine::Prediction a, b;
  std::vector<SettingPair> settings;
  std::vector<CounterPair> counters;  // all of both sides
  std::uint64_t sync_calls = 0;
  std::uint64_t changed = 0;        // of them
  std::vector<PathChange> changes;  // the first of them
  std::vector<std::string> trace_files;
  std::vector<std::string> warnings;
};

// Throws InputError, also for what is wrong with one of the configurations.
CompareResult compare(const CompareRequest& request);

// The keys whose values differ, in the order of the manual.
std::vector<SettingPair> differing_settings(const configuration::Settings& a,
                                            const configuration::Settings& b);

// The counters of two predictions together, in the order of the first.
std::vector<CounterPair> pair_counters(const engine::Prediction& a, const engine::Prediction& b);

}  // namespace fcsim::questions::compare
