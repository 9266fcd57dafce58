#include "sim/questions/batch/work_list.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>

#include "model/common/error.h"
#include "traces/bundle/bundle.h"

namespace fcsim::questions::batch {
namespace {

namespace fs = std::filesystem;

// Of a finer grid more would be parsed than is dealt out better.
constexpr std::size_t kSettingsTogether = 1024;

// strace's text takes this many times the room of its compressed form.
constexpr std::uint64_t kCompression = 12;

void add_option(std::string& options, const std::string& name, const std::string& value) {
  options += (options.empty() ? "" : " ") + name + " " + shell_word(value);
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
  const std::string trace = traces::bundle::find_bundle(bundle).trace;
  const std::uintmax_t size = fs::file_size(trace, error);
  return error ? 0 : trace.ends_with(".zst") ? size * kCompression : size;
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

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
  for (const std::string& bundle : bundles) {
    // Some pages for what a bundle costs of any length.
    const std::uint64_t size = size_of_trace(bundle) + 16384;
    for (std::size_t begin = 0; begin < settings; begin += kSettingsTogether) {
      const std::size_t end = std::min(settings, begin + kSettingsTogether);
      units.push_back({bundle, begin, end, size * (end - begin)});
    }
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit& a, const Unit& b) { return a.weight > b.weight; });
  using Load = std::pair<std::uint64_t, std::size_t>;  // weight, shard
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t i = 0; i < shard.count; ++i) loads.emplace(0, i);
  std::vector<Unit> mine;
  for (Unit& unit : units) {
    const auto [weight, lightest] = loads.top();
    loads.pop();
    loads.emplace(weight + unit.weight, lightest);
    if (lightest == shard.index) mine.push_back(std::move(unit));
  }
  return mine;
}

}  // namespace fcsim::questions::batch
