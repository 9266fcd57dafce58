// The forms of what `fcsim validate` finds: a line for each bundle, then a summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/questions/validate/validate.h"
#include "sim/report/document.h"

namespace fcsim::report {

// Lines are made one by one, as results arrive; the summary counts what went by.
class ValidationText {
 public:
  // The bundles to come, to know how wide names are.
  // `color`: verdicts stand out by ANSI escapes.
  explicit ValidationText(const std::vector<std::string>& bundles, bool color = false);

  // "NAME  VERDICT  commits 5813  ineligible 188  ..."; a counter that differs is written
  // "commits 5820 (kernel 5813, +7)". Ends in a line feed; the first difference follows indented.
  std::string line(const questions::validate::BundleResult& result);

  // How many are exact, within spread, skipped, wrong; the share of blocks that are equal.
  [[nodiscard]] std::string summary() const;

  // No bundle differs or failed, and there was at least one to compare.
  [[nodiscard]] bool all_fine() const {
    return differs_ == 0 && failed_ == 0 && !nothing_compared();
  }
  [[nodiscard]] bool nothing_compared() const {
    return exact_ + within_spread_ + differs_ + failed_ == 0;
  }

  // The parts of the summary: "3 bundles: 2 exact, 1 differs"; about blocks, "" if not compared.
  [[nodiscard]] std::string verdicts() const;
  [[nodiscard]] std::string blocks_summary() const;

  // The path without what all bundles have in common.
  [[nodiscard]] std::string short_name(const std::string& path) const;

 private:
  void count(const questions::validate::BundleResult& result);
  [[nodiscard]] std::string shown_verdict(questions::validate::Verdict verdict) const;

  std::string common_folder_;  // left out of names
  std::size_t width_ = 0;
  std::uint64_t exact_ = 0, within_spread_ = 0, differs_ = 0, failed_ = 0, skipped_ = 0;
  std::uint64_t full_commits_ = 0, equal_blocks_ = 0, equal_handles_ = 0;
  bool with_blocks_ = false;
  bool color_ = false;
};

// A row for each bundle, the summary, and what the lines of the text form say in addition.
Document validation_document(const std::vector<questions::validate::BundleResult>& results);

// {"bundles": [{"bundle", "verdict", "reason", "counters": [{"counter", "predicted", "kernel",
//  "difference", "spread": [lowest, highest] or null}], "stages": [], "blocks": {} or null,
//  "first_difference": {} or null}], "summary": {verdict: N}}.
std::string validation_json(const std::vector<questions::validate::BundleResult>& results);

}  // namespace fcsim::report
