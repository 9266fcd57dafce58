#include "sim/questions/exposure/settings.h"

#include <utility>

#include "model/common/error.h"
#include "sim/questions/tune/cost.h"

namespace fcsim::questions::exposure {
namespace {

SettingRow row_of(const ExposureRequest& request, std::vector<std::string>* warnings) {
  SettingRow row;
  try {
    const Exposure exposure = expose(request);
    const tune::JournalCost cost =
        tune::cost_of(exposure.prediction, exposure.configuration.values);
    row.transactions = cost.transactions;
    row.commits = cost.commits;
    row.journal_blocks = cost.journal_blocks;
    row.flushes = cost.flushes;
    row.device_us = cost.device_us;
    row.ages = exposure.ages[static_cast<std::size_t>(model::exposure::Kept::flushed)];
    row.broken = exposure.broken.size() + exposure.unmountable.size();
    if (warnings != nullptr && warnings->empty()) *warnings = exposure.warnings;
  } catch (const model::InputError& error) {
    row.error = error.what();
  }
  return row;
}

}  // namespace

BySetting by_setting(const ExposureRequest& request,
                     const std::vector<sweep::Parameter>& parameters) {
  BySetting result;
  for (const sweep::Parameter& parameter : parameters) result.keys.push_back(parameter.key);
  for (std::vector<std::string>& values : sweep::grid(parameters)) {
    ExposureRequest point = request;
    point.cuts.clear();
    point.seconds_after_begin = false;
    point.risks = true;
    point.keep_commits = true;
    for (std::size_t i = 0; i < values.size(); ++i)
      point.session.configuration.settings.push_back(result.keys[i] + "=" + values[i]);
    SettingRow row = row_of(point, &result.warnings);
    row.values = std::move(values);
    result.rows.push_back(std::move(row));
  }
  return result;
}

AtRiskTuning tune_at_risk(const ExposureRequest& request, double limit_s) {
  AtRiskTuning tuning;
  tuning.limit_s = limit_s;
  tuning.now = by_setting(request, {}).rows.front();
  tuning.tried = by_setting(request, {{"mount.data", {"ordered", "journal"}},
                                      {"mount.commit_interval_s", {"1", "5"}},
                                      {"writeback.dirty_expire_centisecs", {"10", "100", "3000"}},
                                      {"writeback.dirty_writeback_centisecs", {"10", "100"}}});
  for (std::size_t i = 0; i < tuning.tried.rows.size(); ++i) {
    const SettingRow& row = tuning.tried.rows[i];
    if (!row.error.empty() || row.ages.maximum > limit_s) continue;
    if (tuning.best) {
      const SettingRow& best = tuning.tried.rows[*tuning.best];
      if (std::pair(row.journal_blocks, row.flushes) >=
          std::pair(best.journal_blocks, best.flushes))
        continue;
    }
    tuning.best = i;
  }
  return tuning;
}

}  // namespace fcsim::questions::exposure
