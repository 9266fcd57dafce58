// The table that `fcsim validate` prints: a line a bundle, then a summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/questions/validate/validate.h"

namespace fcsim::report {

// Lines are made one by one, as results arrive; the summary counts what went by.
class ValidationText {
 public:
  // The bundles to come, to know how wide names are.
  explicit ValidationText(const std::vector<std::string>& bundles);

  // "NAME  VERDICT  commits 5813  ineligible 188  ..."; a counter that differs is written
  // "commits 5820 (kernel 5813, +7)". Ends in a line feed; the first difference follows indented.
  std::string line(const questions::validate::BundleResult& result);

  // How many are exact, within spread, skipped, wrong; the share of blocks that are equal.
  [[nodiscard]] std::string summary() const;

  // No bundle differs or failed.
  [[nodiscard]] bool all_fine() const { return differs_ == 0 && failed_ == 0; }

 private:
  [[nodiscard]] std::string short_name(const std::string& path) const;
  void count(const questions::validate::BundleResult& result);

  std::string common_folder_;  // left out of names
  std::size_t width_ = 0;
  std::uint64_t exact_ = 0, within_spread_ = 0, differs_ = 0, failed_ = 0, skipped_ = 0;
  std::uint64_t full_commits_ = 0, equal_blocks_ = 0, equal_handles_ = 0;
  bool with_blocks_ = false;
};

}  // namespace fcsim::report
