// What a batch says over all its traces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/questions/batch/result_database.h"

namespace fcsim::questions::batch {

struct SummaryRequest {
  std::vector<std::string> counters;     // to show; empty: all that are not zero everywhere
  std::string by = "jbd2.transactions";  // what settings are compared by; less is better
  std::string baseline;                  // a setting's number or options; empty: the first
};

// A counter's values over the traces under one setting.
struct Distribution {
  std::size_t traces = 0;
  // Least, quartiles, greatest. Between two values in proportion, as R's type 7 and NumPy have it.
  std::array<double, 5> quartiles{};
  double mean = 0;
};

struct CounterSummary {
  std::string counter;
  std::vector<Distribution> by_setting;
};

// How a setting does against the baseline, over the traces that have an answer under both.
struct SettingComparison {
  std::size_t setting = 0;  // from 0
  std::size_t traces = 0, better = 0, equal = 0, worse = 0;
  std::int64_t change = 0;  // of the sum
  std::uint64_t baseline_sum = 0;
  // Change and bundle of the trace that gains and of the one that loses most; 0: there is none.
  std::pair<std::int64_t, std::string> best, worst;
};

struct BatchSummary {
  std::string database;
  std::size_t bundles = 0, rows = 0, errors = 0;
  // The values of a setting's parameters, by setting; nullopt where it does not have the key.
  std::vector<std::string> keys;
  std::vector<std::vector<std::optional<std::string>>> values;
  std::vector<SettingDescription> settings;
  bool several_batches = false;  // the settings' common options differ
  std::vector<CounterSummary> counters;
  std::vector<std::string> zero_everywhere;
  std::string by;
  std::size_t baseline = 0;                      // from 0
  std::vector<SettingComparison> better, worse;  // than the baseline, the largest change first
};

// Throws InputError for a counter or a baseline that is not in the database.
BatchSummary summarize(ResultDatabase& database, const SummaryRequest& request);

}  // namespace fcsim::questions::batch
