// Data at risk by setting, and the settings that bound it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/questions/exposure/exposure.h"
#include "sim/questions/sweep/parameter.h"

namespace fcsim::questions::exposure {

struct SettingRow {
  std::vector<std::string> values;  // one for each parameter
  std::string error;                // why the point is refused
  std::uint64_t transactions = 0, commits = 0;
  std::uint64_t journal_blocks = 0, flushes = 0;
  double device_us = 0;
  model::exposure::Ages ages;  // flushed
  std::uint64_t broken = 0;    // promises, states that cannot be mounted included
};

struct BySetting {
  std::vector<std::string> keys;
  std::vector<SettingRow> rows;  // in the order of the grid
  std::vector<std::string> warnings;
};

// The cuts of `request` are left out. Throws InputError.
BySetting by_setting(const ExposureRequest& request,
                     const std::vector<sweep::Parameter>& parameters);

struct AtRiskTuning {
  double limit_s = 0;
  BySetting tried;
  SettingRow now;                   // as configured
  std::optional<std::size_t> best;  // of `tried`: the fewest journal blocks, then flushes
};

// Tries commit=, dirty_expire_centisecs, dirty_writeback_centisecs and data=. Throws InputError.
AtRiskTuning tune_at_risk(const ExposureRequest& request, double limit_s);

}  // namespace fcsim::questions::exposure
