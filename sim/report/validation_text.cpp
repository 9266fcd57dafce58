#include "sim/report/validation_report.h"

#include <algorithm>
#include <filesystem>

#include "sim/support/utf8.h"

namespace fcsim::report {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string signed_number(std::int64_t value) {
  return (value > 0 ? "+" : "") + std::to_string(value);
}

// Reasons are quoted as in fc_info; the other names are the files' own words.
std::string label(const questions::validate::ComparedCounter& counter) {
  constexpr std::string_view kReasons = "reasons.";
  if (counter.name.starts_with(kReasons)) return "\"" + counter.name.substr(kReasons.size()) + "\"";
  return counter.name;
}

std::string describe(const questions::validate::ComparedCounter& counter) {
  std::string text = label(counter) + " " + std::to_string(counter.predicted);
  if (counter.exact()) return text;
  text += " (kernel " + std::to_string(counter.truth);
  if (counter.has_spread)
    text += ", spread " + std::to_string(counter.spread.lowest) + ".." +
            std::to_string(counter.spread.highest);
  return text + ", " + signed_number(counter.difference()) + ")";
}

// Those that every line has, in the order of the kernel's files.
bool is_main(const std::string& name) {
  for (const model::CounterGroup& group : model::counter_groups())
    for (const model::Counter& counter : group.counters)
      if (counter.main && name == std::string(group.truth_prefix) + std::string(counter.name))
        return true;
  return false;
}

std::string counters_text(const std::vector<questions::validate::ComparedCounter>& counters) {
  std::string text;
  for (const questions::validate::ComparedCounter& counter : counters)
    if (is_main(counter.name)) text += padded(describe(counter), counter.name.size() + 6) + "  ";
  for (const questions::validate::ComparedCounter& counter : counters) {
    // What is right and always there would only fill the line.
    const bool quiet = counter.exact() && !counter.name.starts_with("reasons.");
    if (!is_main(counter.name) && !quiet) text += describe(counter) + "  ";
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "none";
  const std::uint64_t tenths = part * 1000 / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

std::string time_text(model::Time time) {
  const model::Time microseconds = time / 1000;
  std::string fraction = std::to_string(microseconds % 1'000'000);
  fraction.insert(0, 6 - std::min<std::size_t>(fraction.size(), 6), '0');
  return std::to_string(microseconds / 1'000'000) + "." + fraction;
}

std::string line_text(const questions::validate::TraceLine& line) {
  return "        " + support::printable(to_string(line.position) + ": " + line.text) + "\n";
}

std::string difference_text(const questions::validate::BundleResult& result) {
  const questions::validate::FirstDifference& first = *result.first;
  std::string text = "    first difference at " + time_text(first.time) + ": " +
                     (first.full ? "full commit" : "call of fast commit") + " number " +
                     std::to_string(first.number + 1) + "\n";
  text += "      predicted: " + first.predicted + "\n";
  if (result.predicted_line)
    text += line_text(*result.predicted_line);
  else if (first.has_origin)
    text += "        by the kernel's own timers\n";
  text += "      kernel:    " + first.kernel + "\n";
  if (result.kernel_line) text += line_text(*result.kernel_line);
  return text;
}

// Only where something is off: exact stages add up to the line above.
std::string stages_text(const questions::validate::BundleResult& result) {
  const auto exact = [](const questions::validate::StageResult& stage) {
    return stage.verdict == questions::validate::Verdict::exact;
  };
  if (std::all_of(result.stages.begin(), result.stages.end(), exact)) return "";
  std::string text;
  for (std::size_t i = 0; i < result.stages.size(); ++i) {
    const questions::validate::StageResult& stage = result.stages[i];
    text += "    run " + std::to_string(i + 1);
    if (!stage.admin.empty()) text += ", after \"" + stage.admin + "\"";
    text += ": " + counters_text(stage.counters) + "\n";
  }
  return text;
}

}  // namespace

ValidationText::ValidationText(const std::vector<std::string>& bundles, bool color)
    : color_(color) {
  namespace fs = std::filesystem;
  if (!bundles.empty()) common_folder_ = fs::path(bundles.front()).parent_path().string() + "/";
  for (const std::string& bundle : bundles)
    while (!common_folder_.empty() && !bundle.starts_with(common_folder_)) {
      const std::size_t slash = common_folder_.find_last_of('/', common_folder_.size() - 2);
      common_folder_.resize(slash == std::string::npos || common_folder_.size() < 2 ? 0
                                                                                    : slash + 1);
    }
  for (const std::string& bundle : bundles)
    width_ = std::max(width_, std::min<std::size_t>(short_name(bundle).size(), 40));
}

std::string ValidationText::short_name(const std::string& path) const {
  return path.starts_with(common_folder_) ? path.substr(common_folder_.size()) : path;
}

void ValidationText::count(const questions::validate::BundleResult& result) {
  switch (result.verdict) {
    case questions::validate::Verdict::exact:
      ++exact_;
      break;
    case questions::validate::Verdict::within_spread:
      ++within_spread_;
      break;
    case questions::validate::Verdict::differs:
      ++differs_;
      break;
    case questions::validate::Verdict::failed:
      ++failed_;
      break;
    case questions::validate::Verdict::skipped:
      ++skipped_;
      break;
  }
  if (!result.blocks) return;
  with_blocks_ = true;
  full_commits_ += result.blocks->full_commits;
  equal_blocks_ += result.blocks->equal;
  equal_handles_ += result.blocks->equal_handles;
}

// The escapes take no columns, so the padding is outside of them.
std::string ValidationText::shown_verdict(questions::validate::Verdict verdict) const {
  const std::string text(name(verdict));
  const std::string space = padded(text, 13).substr(text.size());
  if (!color_) return text + space;
  const char* escape = "\033[32m";  // green
  if (verdict == questions::validate::Verdict::differs ||
      verdict == questions::validate::Verdict::failed)
    escape = "\033[31m";                                                      // red
  if (verdict == questions::validate::Verdict::skipped) escape = "\033[33m";  // yellow
  return escape + text + "\033[0m" + space;
}

std::string ValidationText::line(const questions::validate::BundleResult& result) {
  count(result);
  const std::string name_shown = support::printable(short_name(result.path));
  std::string text = padded(name_shown, width_) + "  " + shown_verdict(result.verdict) + "  ";
  text +=
      result.counters.empty() ? support::printable(result.reason) : counters_text(result.counters);
  if (result.blocks)
    text += "  blocks " + std::to_string(result.blocks->equal) + "/" +
            std::to_string(result.blocks->full_commits);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text += "\n";
  text += stages_text(result);
  if (result.first) text += difference_text(result);
  return text;
}

std::string ValidationText::verdicts() const {
  const std::uint64_t all = exact_ + within_spread_ + differs_ + failed_ + skipped_;
  std::string text = std::to_string(all) + (all == 1 ? " bundle: " : " bundles: ") +
                     std::to_string(exact_) + " exact";
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    if (count != 0) text += ", " + std::to_string(count) + " " + std::string(what);
  };
  add(within_spread_, "within spread");
  add(differs_, differs_ == 1 ? "differs" : "differ");
  add(failed_, "failed");
  add(skipped_, "skipped");
  return text;
}

std::string ValidationText::blocks_summary() const {
  if (!with_blocks_) return "";
  if (full_commits_ == 0) return "no full commits whose blocks could be compared";
  return "full commits with the kernel's blocks and blocks_logged: " +
         std::to_string(equal_blocks_) + " of " + std::to_string(full_commits_) + " (" +
         percent(equal_blocks_, full_commits_) +
         "); handles too: " + std::to_string(equal_handles_) + " (" +
         percent(equal_handles_, full_commits_) + ")";
}

std::string ValidationText::summary() const {
  const std::string blocks = blocks_summary();
  return verdicts() + "\n" + (blocks.empty() ? "" : blocks + "\n");
}

}  // namespace fcsim::report
