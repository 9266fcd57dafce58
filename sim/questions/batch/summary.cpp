#include "sim/questions/batch/summary.h"

#include <algorithm>
#include <map>

#include "model/common/error.h"
#include "sim/questions/batch/parameter_keys.h"

namespace fcsim::questions::batch {
namespace {

using Values = ResultDatabase::Values;

// Of sorted values, not empty; `quarter` from 0 (the least) to 4 (the greatest).
double quartile(const Values& values, std::size_t quarter) {
  const std::size_t position = (values.size() - 1) * quarter;  // in quarters
  const auto low = static_cast<double>(values[position / 4].first);
  const auto high =
      static_cast<double>(values[std::min(position / 4 + 1, values.size() - 1)].first);
  return low + (high - low) * static_cast<double>(position % 4) / 4;
}

Distribution distribution_of(const Values& values) {
  Distribution distribution;
  distribution.traces = values.size();
  if (values.empty()) return distribution;
  for (std::size_t quarter = 0; quarter <= 4; ++quarter)
    distribution.quartiles[quarter] = quartile(values, quarter);
  double sum = 0;
  for (const auto& value : values) sum += static_cast<double>(value.first);
  distribution.mean = sum / static_cast<double>(values.size());
  return distribution;
}

SettingComparison comparison_of(std::size_t setting, const Values& values,
                                const std::map<std::string, std::uint64_t>& baseline) {
  SettingComparison result;
  result.setting = setting;
  for (const auto& [value, bundle] : values) {
    const auto found = baseline.find(bundle);
    if (found == baseline.end()) continue;
    const auto change = static_cast<std::int64_t>(value - found->second);
    ++result.traces;
    ++(change < 0 ? result.better : change > 0 ? result.worse : result.equal);
    result.change += change;
    result.baseline_sum += found->second;
    const std::pair<std::int64_t, std::string> candidate(change, bundle);
    if (change < 0 && (result.best.first == 0 || candidate < result.best)) result.best = candidate;
    if (change > result.worst.first ||
        (change == result.worst.first && change > 0 && bundle < result.worst.second))
      result.worst = candidate;
  }
  return result;
}

class Summary {
 public:
  Summary(ResultDatabase& database, const SummaryRequest& request)
      : database_(database), request_(request) {}

  BatchSummary make() {
    summary_.database = database_.path();
    summary_.by = request_.by;
    describe_settings();
    if (summary_.settings.empty()) return std::move(summary_);
    summary_.baseline = find_baseline();
    find_counters();
    check_counter(request_.by);
    for (const std::string& counter : request_.counters) check_counter(counter);
    count_rows();
    for (const std::string& counter : request_.counters.empty() ? known_ : request_.counters)
      add_counter(counter);
    if (summary_.settings.size() > 1) compare_settings();
    return std::move(summary_);
  }

 private:
  void describe_settings() {
    summary_.settings = database_.settings();
    summary_.keys = parameter_keys(summary_.settings);
    for (const SettingDescription& setting : summary_.settings) {
      if (setting.common_options != summary_.settings.front().common_options)
        summary_.several_batches = true;
      auto& values = summary_.values.emplace_back();
      for (const std::string& key : summary_.keys) values.push_back(parameter_value(setting, key));
    }
  }

  void find_counters() {
    known_ = database_.counters();
    for (const std::string& reason : database_.reasons())
      known_.push_back("fc_info.reasons." + reason);
  }

  void check_counter(const std::string& counter) const {
    if (std::find(known_.begin(), known_.end(), counter) != known_.end()) return;
    std::string message = "has no counter '" + counter + "'; it has";
    for (std::size_t i = 0; i < known_.size(); ++i) message += (i == 0 ? " " : ", ") + known_[i];
    throw model::InputError({database_.path(), 0, 0}, message);
  }

  [[nodiscard]] std::size_t find_baseline() const {
    const std::vector<SettingDescription>& settings = summary_.settings;
    if (request_.baseline.empty()) return 0;
    for (std::size_t i = 0; i < settings.size(); ++i)
      if (request_.baseline == settings[i].options || request_.baseline == std::to_string(i + 1))
        return i;
    throw model::InputError({"--baseline " + request_.baseline, 0, 0},
                            "is neither a setting's number, 1 to " +
                                std::to_string(settings.size()) + ", nor the options of one, as '" +
                                settings.front().options + "'");
  }

  void count_rows() {
    std::string last;
    for (const RowState& state : database_.states("")) {
      ++summary_.rows;
      if (state.failed) ++summary_.errors;
      if (summary_.bundles == 0 || state.bundle != last) ++summary_.bundles;
      last = state.bundle;
    }
  }

  void add_counter(const std::string& counter) {
    const std::vector<Values> values = database_.values_of(counter);
    const bool zero = std::all_of(values.begin(), values.end(), [](const Values& of_setting) {
      return of_setting.empty() || of_setting.back().first == 0;
    });
    if (zero && request_.counters.empty()) {
      summary_.zero_everywhere.push_back(counter);
      return;
    }
    CounterSummary& added = summary_.counters.emplace_back();
    added.counter = counter;
    for (const Values& of_setting : values) added.by_setting.push_back(distribution_of(of_setting));
  }

  void compare_settings() {
    const std::vector<Values> values = database_.values_of(request_.by);
    std::map<std::string, std::uint64_t> of_baseline;
    for (const auto& [value, bundle] : values[summary_.baseline])
      of_baseline.emplace(bundle, value);
    for (std::size_t setting = 0; setting < values.size(); ++setting) {
      const SettingComparison one = comparison_of(setting, values[setting], of_baseline);
      if (one.change < 0) summary_.better.push_back(one);
      if (one.change > 0) summary_.worse.push_back(one);
    }
    std::stable_sort(summary_.better.begin(), summary_.better.end(),
                     [](const auto& a, const auto& b) { return a.change < b.change; });
    std::stable_sort(summary_.worse.begin(), summary_.worse.end(),
                     [](const auto& a, const auto& b) { return a.change > b.change; });
  }

  ResultDatabase& database_;
  const SummaryRequest& request_;
  BatchSummary summary_;
  std::vector<std::string> known_;
};

}  // namespace

BatchSummary summarize(ResultDatabase& database, const SummaryRequest& request) {
  return Summary(database, request).make();
}

}  // namespace fcsim::questions::batch
