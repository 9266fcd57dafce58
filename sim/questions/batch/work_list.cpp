#include "sim/questions/batch/work_list.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "model/common/error.h"
#include "sim/support/text.h"
#include "traces/bundle/bundle.h"

namespace fcsim::questions::batch {
namespace {

namespace fs = std::filesystem;

// As many as one decoding serves in predict_many().
constexpr std::size_t kSettingsTogether = 256;

void add_option(std::string& options, const std::string& name, const std::string& value) {
  options += (options.empty() ? "" : " ") + name + " " + support::shell_word(value);
}

std::size_t number(std::string_view text, const std::string& whole) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw model::InputError({"--shard " + whole, 0, 0}, "expected I/N, as 1/4");
  return value;
}

std::uint64_t size_of_trace(const std::string& bundle) {
  if (!traces::bundle::is_bundle(bundle)) return 0;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(traces::bundle::find_bundle(bundle).trace, error);
  return error ? 0 : size;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw model::InputError({"--shard " + text, 0, 0}, "expected I/N, as 1/4, or 'slurm'");
  const std::size_t index = number(std::string_view(text).substr(0, slash), text);
  const std::size_t count = number(std::string_view(text).substr(slash + 1), text);
  if (index < 1 || index > count)
    throw model::InputError({"--shard " + text, 0, 0}, "expected I/N with I from 1 to N");
  return {index - 1, count};
}

std::vector<Setting> make_settings(const configuration::LoadRequest& shared,
                                   const std::string& mount_point, bool strict,
                                   const std::vector<sweep::Parameter>& parameters) {
  std::string common;
  for (const std::string& file : shared.files) add_option(common, "-c", file);
  if (!shared.profile.empty()) add_option(common, "-k", shared.profile);
  for (const std::string& setting : shared.settings) add_option(common, "--set", setting);
  if (!mount_point.empty()) add_option(common, "--mount-point", mount_point);
  if (strict) common += common.empty() ? "--strict" : " --strict";
  std::vector<Setting> settings;
  for (const std::vector<std::string>& values : grid(parameters)) {
    Setting& setting = settings.emplace_back(Setting{{common, common, {}}, shared});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string assignment = parameters[i].key + "=" + values[i];
      add_option(setting.description.options, "--set", assignment);
      setting.description.parameters.emplace_back(parameters[i].key, values[i]);
      setting.request.settings.push_back(assignment);
    }
  }
  return settings;
}

std::vector<Unit> make_units(std::vector<std::string> bundles, std::size_t settings,
                             const Shard& shard) {
  std::sort(bundles.begin(), bundles.end());
  std::vector<Unit> units;
  std::size_t number = 0;
  for (const std::string& bundle : bundles)
    for (std::size_t begin = 0; begin < settings; begin += kSettingsTogether) {
      if (number++ % shard.count != shard.index) continue;
      const std::size_t end = std::min(settings, begin + kSettingsTogether);
      // A page for starting up, which is what small traces cost.
      units.push_back({bundle, begin, end, (size_of_trace(bundle) + 4096) * (end - begin)});
    }
  return units;
}

}  // namespace fcsim::questions::batch
