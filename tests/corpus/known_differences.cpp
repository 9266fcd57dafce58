#include "tests/corpus/known_differences.h"

#include <filesystem>
#include <set>

#include "sim/configuration/document.h"

namespace fcsim::test {
namespace {

std::string case_of(const questions::validate::BundleResult& result) {
  return std::filesystem::path(result.path).filename().string();
}

bool is_off(const questions::validate::ComparedCounter& counter) {
  return !counter.exact() && !counter.within_spread();
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + "\"";
}

std::string text_of(const configuration::Entry& entry) {
  const auto* text = std::get_if<std::string>(&entry.value);
  if (text == nullptr) throw model::InputError(entry.position, "expected a text");
  return *text;
}

std::int64_t count_of(const configuration::Entry& entry) {
  const auto* count = std::get_if<std::int64_t>(&entry.value);
  if (count == nullptr || *count < 0) throw model::InputError(entry.position, "expected a count");
  return *count;
}

// "difference.SET.CASE": neither a set's nor a case's name holds a dot but the kernels' numbers,
// and those belong to the set.
void take_difference(std::map<std::string, KnownSet>& sets, const configuration::Entry& entry,
                     std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos)
    throw model::InputError(entry.position, "expected difference.SET.CASE");
  KnownDifference& known =
      sets[std::string(path.substr(0, dot))].cases[std::string(path.substr(dot + 1))];
  if (entry.key == "cause")
    known.cause = text_of(entry);
  else if (entry.key == "cure")
    known.cure = text_of(entry);
  else
    known.predicted[entry.key] = static_cast<std::uint64_t>(count_of(entry));
}

void take_blocks(std::map<std::string, KnownSet>& sets, const configuration::Entry& entry,
                 std::string_view path) {
  constexpr std::string_view kExcluded = ".excluded";
  if (path.ends_with(kExcluded)) {
    path.remove_suffix(kExcluded.size());
    sets[std::string(path)].blocks_excluded[entry.key] = text_of(entry);
  } else if (entry.key == "percent") {
    sets[std::string(path)].blocks_percent = count_of(entry);
  } else {
    throw model::InputError(entry.position, "unknown key '" + entry.key + "'; expected percent");
  }
}

std::string check_listed(const std::string& name, const KnownDifference& known,
                         const questions::validate::BundleResult& result) {
  if (result.verdict == questions::validate::Verdict::exact)
    return name + ": exact now; take it out of the list\n";
  std::string wrong;
  for (const questions::validate::ComparedCounter& counter : result.counters) {
    if (!is_off(counter)) continue;
    const auto listed = known.predicted.find(counter.name);
    const std::string found = name + ": " + counter.name + " " + std::to_string(counter.predicted) +
                              ", the kernel " + std::to_string(counter.truth);
    if (listed == known.predicted.end())
      wrong += found + "; not listed\n";
    else if (distance(counter.predicted, counter.truth) > distance(listed->second, counter.truth))
      wrong += found + "; further off than the " + std::to_string(listed->second) + " listed\n";
  }
  if (known.cause.empty()) wrong += name + ": listed without a cause\n";
  return wrong;
}

std::string check_unlisted(const std::string& name,
                           const questions::validate::BundleResult& result) {
  if (result.verdict == questions::validate::Verdict::failed)
    return name + ": " + result.reason + "\n";
  std::string wrong;
  if (result.verdict != questions::validate::Verdict::differs) return wrong;
  for (const questions::validate::ComparedCounter& counter : result.counters)
    if (is_off(counter))
      wrong += name + ": " + counter.name + " " + std::to_string(counter.predicted) +
               ", the kernel " + std::to_string(counter.truth) + "\n";
  return wrong;
}

}  // namespace

std::map<std::string, KnownSet> read_known_differences() {
  constexpr std::string_view kDifference = "difference.";
  constexpr std::string_view kBlocks = "blocks.";
  const configuration::Document document = configuration::read_document(
      std::string(FCSIM_SOURCE_DIR) + "/tests/corpus/known_differences.toml");
  std::map<std::string, KnownSet> sets;
  for (const configuration::Entry& entry : document.entries) {
    const std::string_view table = entry.table;
    if (table.starts_with(kDifference))
      take_difference(sets, entry, table.substr(kDifference.size()));
    else if (table.starts_with(kBlocks))
      take_blocks(sets, entry, table.substr(kBlocks.size()));
    else
      throw model::InputError(entry.position, "expected [difference.SET.CASE] or [blocks.SET]");
  }
  return sets;
}

std::string check_differences(const KnownSet& known,
                              const std::vector<questions::validate::BundleResult>& results) {
  std::string wrong;
  std::set<std::string> seen;
  for (const questions::validate::BundleResult& result : results) {
    const std::string name = case_of(result);
    seen.insert(name);
    const auto listed = known.cases.find(name);
    if (listed == known.cases.end() || result.verdict == questions::validate::Verdict::failed)
      wrong += check_unlisted(name, result);
    else
      wrong += check_listed(name, listed->second, result);
  }
  for (const auto& [name, difference] : known.cases)
    if (!seen.contains(name)) wrong += name + ": listed, but there is no such recording\n";
  return wrong;
}

std::string check_blocks(const KnownSet& known,
                         const std::vector<questions::validate::BundleResult>& results) {
  std::uint64_t full_commits = 0;
  std::uint64_t equal = 0;
  std::string wrong;
  for (const questions::validate::BundleResult& result : results) {
    if (!result.blocks) continue;
    if (const auto excluded = known.blocks_excluded.find(case_of(result));
        excluded != known.blocks_excluded.end()) {
      if (result.blocks->equal == result.blocks->full_commits)
        wrong += case_of(result) + ": blocks are the kernel's now; take it out of the excluded\n";
      continue;
    }
    full_commits += result.blocks->full_commits;
    equal += result.blocks->equal;
  }
  if (full_commits == 0) return wrong;
  if (equal * 100 < full_commits * static_cast<std::uint64_t>(known.blocks_percent))
    wrong += std::to_string(equal) + " of " + std::to_string(full_commits) +
             " full commits have the kernel's blocks; listed are " +
             std::to_string(known.blocks_percent) + " %\n";
  return wrong;
}

std::string differences_text(const std::string& set, const KnownSet& known,
                             const std::vector<questions::validate::BundleResult>& results) {
  std::string text;
  for (const questions::validate::BundleResult& result : results) {
    if (result.verdict != questions::validate::Verdict::differs) continue;
    const std::string name = case_of(result);
    const auto listed = known.cases.find(name);
    text += "[difference." + quoted(set) + "." + quoted(name) + "]\n";
    text += "cause = " + quoted(listed == known.cases.end() ? "" : listed->second.cause) + "\n";
    if (listed != known.cases.end() && !listed->second.cure.empty())
      text += "cure = " + quoted(listed->second.cure) + "\n";
    for (const questions::validate::ComparedCounter& counter : result.counters)
      if (is_off(counter))
        text +=
            (counter.name.find('.') == std::string::npos ? counter.name : quoted(counter.name)) +
            " = " + std::to_string(counter.predicted) + "  # kernel " +
            std::to_string(counter.truth) + "\n";
    text += "\n";
  }
  return text;
}

}  // namespace fcsim::test
