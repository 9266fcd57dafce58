// Predictions against what the kernel's trace events counted for XFS (../shared/corpus-xfs), and
// against the small bundles beside this file.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "sim/questions/validate/validate.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;
namespace validate = fcsim::questions::validate;

namespace {

// The sizes of checkpoints are estimates where buffers are in them; flushes follow from the others.
bool is_estimated(const std::string& counter) {
  return counter == "log_blocks" || counter == "device_flushes";
}

// Names of the counters that lie outside what the recordings gave, each with both numbers.
std::string differences(const validate::BundleResult& result) {
  std::string text;
  for (const validate::ComparedCounter& counter : result.counters)
    if (!is_estimated(counter.name) && !counter.exact() && !counter.within_spread())
      text += " " + counter.name + " " + std::to_string(counter.predicted) + "/" +
              std::to_string(counter.truth);
  return result.verdict == validate::Verdict::failed ? result.reason : text;
}

// CASE<tab>cause
std::map<std::string, std::string> known_differences() {
  std::ifstream file(FCSIM_SOURCE_DIR "/tests/xfs/known_differences.tsv");
  std::map<std::string, std::string> known;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (!line.empty() && line.front() != '#' && tab != std::string::npos)
      known[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return known;
}

}  // namespace

TEST_CASE("small XFS bundles are predicted exactly") {
  int count = 0;
  validate::validate(test::validate_request(FCSIM_SOURCE_DIR "/tests/xfs/bundles"),
                     [&](const validate::BundleResult& result) {
                       ++count;
                       INFO(result.path);
                       CHECK(differences(result).empty());
                     });
  CHECK(count >= 5);
}

TEST_CASE("the recordings of XFS differ from the predictions only where the cause is known",
          "[shared]") {
  const std::filesystem::path corpus = FCSIM_SOURCE_DIR "/../shared/corpus-xfs";
  REQUIRE(std::filesystem::exists(corpus));
  const std::map<std::string, std::string> known = known_differences();
  std::set<std::string> unseen;
  for (const auto& [name, cause] : known) unseen.insert(name);
  int count = 0;
  validate::validate(
      test::validate_request(corpus.string()), [&](const validate::BundleResult& result) {
        const std::string name = std::filesystem::path(result.path).filename().string();
        if (name.find(".ext4") != std::string::npos) return;
        ++count;
        const std::string text = differences(result);
        INFO(name << ":" << text);
        CHECK((text.empty() || known.contains(name)));
        unseen.erase(name);
      });
  CHECK(count == 214);
  CHECK(unseen.empty());
}
