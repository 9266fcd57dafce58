#include "sim/questions/batch/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "model/common/error.h"
#include "sim/questions/batch/parameter_keys.h"
#include "sim/report/table.h"

namespace fcsim::questions::batch {
namespace {

constexpr std::size_t kSettingsShown = 10;  // of winners, and of losers

using Values = ResultDatabase::Values;

// Of sorted values, not empty; `quarter` from 0 (the least) to 4 (the greatest). Between two values
// in proportion, as R's type 7 and NumPy have it.
std::string quartile(const Values& values, std::size_t quarter) {
  const std::size_t position = (values.size() - 1) * quarter;  // in quarters
  const auto low = static_cast<double>(values[position / 4].first);
  const auto high =
      static_cast<double>(values[std::min(position / 4 + 1, values.size() - 1)].first);
  const double value = low + (high - low) * static_cast<double>(position % 4) / 4;
  return report::decimal(value, value == std::floor(value) ? 0 : 2);
}

std::string mean(const Values& values) {
  double sum = 0;
  for (const auto& value : values) sum += static_cast<double>(value.first);
  return report::decimal(sum / static_cast<double>(values.size()), 2);
}

// How a setting does against the baseline.
struct Contest {
  std::size_t setting = 0;  // from 0
  std::size_t bundles = 0, won = 0, even = 0, lost = 0;
  std::int64_t change = 0;  // of the sum
  std::uint64_t baseline_sum = 0;
  std::pair<std::int64_t, std::string> best;   // change and bundle; 0: none won
  std::pair<std::int64_t, std::string> worst;  // 0: none lost
};

class Summary {
 public:
  Summary(ResultDatabase& database, const SummaryRequest& request)
      : database_(database),
        request_(request),
        settings_(database.settings()),
        keys_(parameter_keys(settings_)) {
    for (const SettingDescription& setting : settings_)
      if (setting.common_options != settings_.front().common_options) show_common_ = true;
  }

  std::string text() {
    if (settings_.empty()) return database_.path() + ": empty\n";
    const std::size_t baseline = find_baseline();
    known_counters();
    check_counter(request_.by);
    for (const std::string& counter : request_.counters) check_counter(counter);
    std::string text = overview();
    for (const std::string& counter : request_.counters.empty() ? known_ : request_.counters)
      text += distribution(counter);
    if (!zero_.empty()) text += "\nZero everywhere: " + zero_ + "\n";
    return text + contests(baseline);
  }

 private:
  void known_counters() {
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

  std::size_t find_baseline() const {
    if (request_.baseline.empty()) return 0;
    for (std::size_t i = 0; i < settings_.size(); ++i)
      if (request_.baseline == settings_[i].options || request_.baseline == std::to_string(i + 1))
        return i;
    throw model::InputError({"--baseline " + request_.baseline, 0, 0},
                            "is neither a setting's number, 1 to " +
                                std::to_string(settings_.size()) +
                                ", nor the options of one, as '" + settings_.front().options + "'");
  }

  std::string overview() {
    std::size_t rows = 0;
    std::size_t errors = 0;
    std::string last;
    std::size_t bundles = 0;
    for (const RowState& state : database_.states("")) {
      ++rows;
      if (state.failed) ++errors;
      if (bundles == 0 || state.bundle != last) ++bundles;
      last = state.bundle;
    }
    return database_.path() + ": " + std::to_string(bundles) + " bundles, " +
           std::to_string(settings_.size()) + " settings, " + std::to_string(rows) + " rows, " +
           std::to_string(errors) + " of them errors\n";
  }

  // The columns that say which setting a line is about.
  std::vector<std::string> setting_header() const {
    std::vector<std::string> header = {"setting"};
    if (show_common_) header.emplace_back("options");
    header.insert(header.end(), keys_.begin(), keys_.end());
    return header;
  }

  std::vector<std::string> setting_cells(std::size_t setting) const {
    std::vector<std::string> cells = {std::to_string(setting + 1)};
    if (show_common_) cells.push_back(settings_[setting].common_options);
    for (const std::string& key : keys_)
      cells.push_back(parameter_value(settings_[setting], key).value_or("-"));
    return cells;
  }

  std::string distribution(const std::string& counter) {
    const std::vector<Values> values = database_.values_of(counter);
    const bool zero = std::all_of(values.begin(), values.end(), [](const Values& of_setting) {
      return of_setting.empty() || of_setting.back().first == 0;
    });
    if (zero && request_.counters.empty()) {
      zero_ += (zero_.empty() ? "" : ", ") + counter;
      return "";
    }
    std::vector<std::string> header = setting_header();
    for (const char* name : {"traces", "min", "q1", "median", "q3", "max", "mean"})
      header.emplace_back(name);
    report::TextTable table(header);
    for (std::size_t setting = 0; setting < values.size(); ++setting) {
      std::vector<std::string> cells = setting_cells(setting);
      const Values& of_setting = values[setting];
      cells.push_back(std::to_string(of_setting.size()));
      for (std::size_t quarter = 0; quarter <= 4; ++quarter)
        cells.push_back(of_setting.empty() ? "-" : quartile(of_setting, quarter));
      cells.push_back(of_setting.empty() ? "-" : mean(of_setting));
      table.add(std::move(cells));
    }
    return "\n" + counter + "\n" + table.text();
  }

  static Contest contest(std::size_t setting, const Values& values,
                         const std::map<std::string, std::uint64_t>& baseline) {
    Contest result;
    result.setting = setting;
    for (const auto& [value, bundle] : values) {
      const auto found = baseline.find(bundle);
      if (found == baseline.end()) continue;
      const auto change = static_cast<std::int64_t>(value - found->second);
      ++result.bundles;
      ++(change < 0 ? result.won : change > 0 ? result.lost : result.even);
      result.change += change;
      result.baseline_sum += found->second;
      const std::pair<std::int64_t, std::string> candidate(change, bundle);
      if (change < 0 && (result.best.first == 0 || candidate < result.best))
        result.best = candidate;
      if (change > result.worst.first ||
          (change == result.worst.first && change > 0 && bundle < result.worst.second))
        result.worst = candidate;
    }
    return result;
  }

  std::string contests(std::size_t baseline) {
    if (settings_.size() < 2) return "";
    const std::vector<Values> values = database_.values_of(request_.by);
    std::map<std::string, std::uint64_t> of_baseline;
    for (const auto& [value, bundle] : values[baseline]) of_baseline.emplace(bundle, value);
    std::vector<Contest> winners;
    std::vector<Contest> losers;
    for (std::size_t setting = 0; setting < values.size(); ++setting) {
      const Contest one = contest(setting, values[setting], of_baseline);
      if (one.change < 0) winners.push_back(one);
      if (one.change > 0) losers.push_back(one);
    }
    std::stable_sort(winners.begin(), winners.end(),
                     [](const Contest& a, const Contest& b) { return a.change < b.change; });
    std::stable_sort(losers.begin(), losers.end(),
                     [](const Contest& a, const Contest& b) { return a.change > b.change; });
    const std::string title =
        request_.by + " against setting " + std::to_string(baseline + 1) +
        (settings_[baseline].options.empty() ? std::string()
                                             : " (" + settings_[baseline].options + ")");
    return "\n" + title + ": the settings that win most\n" + contest_table(winners) + "\n" + title +
           ": the settings that lose most\n" + contest_table(losers);
  }

  std::string contest_table(std::vector<Contest>& contests) const {
    if (contests.empty()) return "  none\n";
    std::vector<std::string> header = setting_header();
    for (const char* name : {"traces", "won", "even", "lost", "change", "percent"})
      header.emplace_back(name);
    std::vector<bool> left(header.size(), false);
    for (const char* name : {"wins most", "loses most"}) {
      header.emplace_back(name);
      left.push_back(true);
    }
    report::TextTable table(header, left);
    if (contests.size() > kSettingsShown) contests.resize(kSettingsShown);
    for (const Contest& one : contests) {
      std::vector<std::string> cells = setting_cells(one.setting);
      for (const std::size_t count : {one.bundles, one.won, one.even, one.lost})
        cells.push_back(std::to_string(count));
      cells.push_back(signed_text(one.change));
      cells.push_back(one.baseline_sum == 0 ? "-"
                                            : report::decimal(100 * static_cast<double>(one.change) /
                                                          static_cast<double>(one.baseline_sum),
                                                      1));
      for (const auto& [change, bundle] : {one.best, one.worst})
        cells.push_back(change == 0 ? "-" : bundle + " " + signed_text(change));
      table.add(std::move(cells));
    }
    return table.text();
  }

  static std::string signed_text(std::int64_t value) {
    return (value > 0 ? "+" : "") + std::to_string(value);
  }

  ResultDatabase& database_;
  const SummaryRequest& request_;
  std::vector<SettingDescription> settings_;
  std::vector<std::string> keys_;
  bool show_common_ = false;  // settings of several batches
  std::vector<std::string> known_;
  std::string zero_;
};

}  // namespace

std::string batch_summary(ResultDatabase& database, const SummaryRequest& request) {
  return Summary(database, request).text();
}

}  // namespace fcsim::questions::batch
