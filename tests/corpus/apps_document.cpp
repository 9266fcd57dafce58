// Does docs/apps.md show what is predicted for the recorded programs? FCSIM_UPDATE_KNOWN=1 writes
// its table anew.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "sim/questions/validate/validate.h"
#include "sim/support/text.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/corpus/helper.h"
#include "tests/corpus/known_differences.h"

using namespace fcsim;

namespace {

constexpr const char* kDocument = FCSIM_SOURCE_DIR "/docs/apps.md";
constexpr std::string_view kHeader =
    "| program | verdict | fast commits | full commits | off by | blocks | cause |\n"
    "|---|---|--:|--:|--:|--:|---|\n";

double error_of(const questions::validate::ComparedCounter& counter) {
  const auto truth = static_cast<double>(std::max<std::uint64_t>(counter.truth, 1));
  return std::abs(static_cast<double>(counter.difference())) / truth;
}

double error_of(const questions::validate::BundleResult& result) {
  double worst = 0;
  for (const questions::validate::ComparedCounter& counter : result.counters)
    worst = std::max(worst, error_of(counter));
  return worst;
}

std::string counter_cell(const questions::validate::BundleResult& result, std::string_view name) {
  for (const questions::validate::ComparedCounter& counter : result.counters) {
    if (counter.name != name) continue;
    const std::string predicted = std::to_string(counter.predicted);
    return counter.exact() ? predicted
                           : predicted + " (kernel " + std::to_string(counter.truth) + ")";
  }
  return "-";
}

std::string cause_of(const test::KnownSet& known, const std::string& name) {
  if (const auto listed = known.cases.find(name); listed != known.cases.end())
    return listed->second.cause;
  if (const auto listed = known.blocks_excluded.find(name); listed != known.blocks_excluded.end())
    return "blocks: " + listed->second;
  return "";
}

std::string row(const test::KnownSet& known, const questions::validate::BundleResult& result) {
  const std::string name = std::filesystem::path(result.path).filename().string();
  const double error = error_of(result);
  const std::string blocks = result.blocks ? std::to_string(result.blocks->equal) + "/" +
                                                 std::to_string(result.blocks->full_commits)
                                           : "-";
  return "| " + name.substr(name.starts_with("app_") ? 4 : 0) + " | " +
         std::string(questions::validate::name(result.verdict)) + " | " +
         counter_cell(result, "commits") + " | " + counter_cell(result, "transactions") + " | " +
         (error > 0 ? support::decimal(100 * error, 1) + " %" : "") + " | " + blocks + " | " +
         cause_of(known, name) + " |\n";
}

std::string table(const std::string& folder) {
  questions::validate::ValidateRequest request = test::validate_request(folder);
  request.blocks = true;
  std::vector<questions::validate::BundleResult> results;
  questions::validate::validate(
      request, [&](const questions::validate::BundleResult& result) { results.push_back(result); });
  std::stable_sort(results.begin(), results.end(),
                   [](const auto& a, const auto& b) { return error_of(a) > error_of(b); });
  const test::KnownSet known = test::read_known_differences()["apps"];
  std::string text(kHeader);
  for (const questions::validate::BundleResult& result : results) text += row(known, result);
  return text;
}

}  // namespace

TEST_CASE("docs/apps.md shows the recorded programs", "[corpus][shared]") {
  const std::string corpus = test::corpus_folder();
  const std::string text = test::read_file(kDocument);
  const std::size_t begin = text.find(kHeader);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = std::min(text.find("\n\n", begin), text.size() - 1) + 1;
  const std::string now = table(corpus + "/apps");
  if (const char* update = std::getenv("FCSIM_UPDATE_KNOWN"); update != nullptr && *update == '1')
    std::ofstream(kDocument, std::ios::binary) << text.substr(0, begin) + now + text.substr(end);
  else
    CHECK(text.substr(begin, end - begin) == now);
}
