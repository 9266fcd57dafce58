// Do settings that share a file system get the answers of engines of their own, and are they really
// shared where nothing speaks against it?
#include <cstdlib>
#include <iostream>

#include "model/error.h"
#include "sim/replay/predict_many.h"
#include "sim/report/report.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::vector<sim::LoadRequest> grid(const std::vector<std::vector<std::string>>& axes) {
  std::vector<sim::LoadRequest> points = {configuration()};
  for (const std::vector<std::string>& axis : axes) {
    std::vector<sim::LoadRequest> longer;
    for (const sim::LoadRequest& point : points)
      for (const std::string& setting : axis) {
        longer.push_back(point);
        longer.back().settings.push_back(setting);
      }
    points = std::move(longer);
  }
  return points;
}

const std::vector<std::string> kAreas = {
    "filesystem.fast_commit_blocks=2",   "filesystem.fast_commit_blocks=3",
    "filesystem.fast_commit_blocks=10",  "filesystem.fast_commit_blocks=64",
    "filesystem.fast_commit_blocks=128", "filesystem.fast_commit_blocks=1024"};
const std::vector<std::string> kIntervals = {
    "mount.commit_interval_s=1", "mount.commit_interval_s=5", "mount.commit_interval_s=30"};
const std::vector<std::string> kRanges = {"range_tracking.policy=single_span",
                                          "range_tracking.policy=disjoint",
                                          "range_tracking.policy=unlimited"};

sim::PredictManyRequest request(const std::string& input,
                                const std::vector<std::vector<std::string>>& axes) {
  sim::PredictManyRequest many;
  many.inputs = {input};
  many.configurations = grid(axes);
  many.threads = 2;
  return many;
}

sim::LaneStatistics check(const std::string& input,
                          const std::vector<std::vector<std::string>>& axes) {
  INFO(input);
  sim::PredictManyRequest many = request(input, axes);
  const sim::Predictions shared = sim::predict_many(many);
  many.lanes = false;
  const sim::Predictions alone = sim::predict_many(many);
  REQUIRE(shared.outcomes.size() == alone.outcomes.size());
  for (std::size_t i = 0; i < shared.outcomes.size(); ++i) {
    const sim::Outcome& one = shared.outcomes[i];
    const sim::Outcome& other = alone.outcomes[i];
    REQUIRE((one.error != nullptr) == (other.error != nullptr));
    if (one.error != nullptr) {
      CHECK(sim::message_of(one.error) == sim::message_of(other.error));
      continue;
    }
    std::string settings;
    for (const std::string& setting : many.configurations[i].settings) settings += setting + " ";
    INFO(settings);
    CHECK(sim::json_report(one.configuration, one.prediction) ==
          sim::json_report(other.configuration, other.prediction));
  }
  if (std::getenv("FCSIM_LANE_STATISTICS") != nullptr) {
    const sim::LaneStatistics& s = shared.lanes;
    std::cerr << input << ": lanes " << s.lanes << " passed_over " << s.passed_over << " awakened "
              << s.awakened;
    for (std::size_t i = 0; i < sim::kDivergences; ++i)
      if (s.diverged[i] != 0) std::cerr << ' ' << sim::kDivergenceNames[i] << ' ' << s.diverged[i];
    std::cerr << '\n';
  }
  return shared.lanes;
}

}  // namespace

TEST_CASE("lanes agree with engines of their own on every bundle", "[lanes]") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles"))
    check(entry.path().string(), {kAreas, kIntervals, kRanges});
}

TEST_CASE("lanes agree with engines of their own on the corpus", "[lanes][corpus]") {
  const std::filesystem::path corpus = std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus";
  if (!std::filesystem::exists(corpus)) {
    WARN("skipped: there is no corpus beside the repository");
    return;
  }
  // A tenth of it by size of the trace, and all that is small.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().filename() != "env.toml") continue;
    std::uintmax_t size = 0;
    for (const auto& file : std::filesystem::directory_iterator(entry.path().parent_path()))
      size += file.is_regular_file() ? file.file_size() : 0;
    const bool all = std::getenv("FCSIM_WHOLE_CORPUS") != nullptr;
    if (!all && size > 60'000) continue;
    check(entry.path().parent_path().string(), {kAreas, kIntervals, kRanges});
  }
}
