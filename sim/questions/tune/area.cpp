// The smallest fast-commit area beyond which nothing is gained.
#include <algorithm>
#include <map>

#include "sim/questions/tune/trials.h"

namespace fcsim::questions::tune {
namespace {

// The largest area that mke2fs makes: log and area together half of the file system.
std::uint64_t largest_area(const model::FilesystemSettings& filesystem) {
  const std::uint64_t log = filesystem.journal_blocks > filesystem.fast_commit_blocks
                                ? filesystem.journal_blocks - filesystem.fast_commit_blocks
                                : filesystem.journal_blocks;
  const std::uint64_t half = filesystem.block_count / 2;
  return half > log + 1 ? half - log : 1;
}

// Blocks that the fast commits of one transaction took together, at most.
std::uint64_t most_used(const engine::Prediction& prediction) {
  std::map<model::Tid, std::uint64_t> used;
  std::uint64_t most = 0;
  for (const model::FastCommitRecord& record : prediction.fast_commits)
    if (record.outcome == model::Outcome::ok)
      most = std::max(most, used[record.tid] += record.blocks);
  return most;
}

void add_limits(AreaAdvice& advice, const engine::Prediction& prediction) {
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (prediction.causes[cause] != 0)
      advice.limits.emplace_back(static_cast<model::Cause>(cause), prediction.causes[cause]);
  std::stable_sort(advice.limits.begin(), advice.limits.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

// Powers of two below what is enough, what is just not enough, what is, and what there is now.
std::vector<std::uint64_t> candidates(const AreaAdvice& advice) {
  std::vector<std::uint64_t> areas;
  for (std::uint64_t area = 16; area < advice.smallest; area *= 2) areas.push_back(area);
  if (advice.smallest > 2) areas.push_back(advice.smallest - 1);
  areas.push_back(advice.smallest);
  if (advice.current != 0) areas.push_back(advice.current);
  std::sort(areas.begin(), areas.end());
  areas.erase(std::unique(areas.begin(), areas.end()), areas.end());
  return areas;
}

bool nearly_never_full(const JournalCost& cost) {
  return cost.area_full * 100 <= cost.commits + cost.area_full;
}

}  // namespace

AreaAdvice find_area_need(Trials& trials, const configuration::LoadedConfiguration& configuration) {
  const model::FilesystemSettings& filesystem = configuration.values.filesystem;
  AreaAdvice advice;
  advice.current = filesystem.fast_commit_blocks;
  advice.block_size = filesystem.block_size;
  advice.largest = largest_area(filesystem);
  const replay::Outcome reference =
      trials.run_one({area_setting(advice.largest, filesystem.block_size)});
  const JournalCost best = cost_of(reference.prediction, reference.configuration.values);
  add_limits(advice, reference.prediction);
  advice.most_used = most_used(reference.prediction);
  advice.limited_by_size = best.area_full != 0;
  // An area of N blocks holds N - 1.
  advice.smallest =
      advice.limited_by_size ? advice.largest : std::max<std::uint64_t>(advice.most_used + 1, 2);
  return advice;
}

AreaAdvice advise_area(Trials& trials, const configuration::LoadedConfiguration& configuration) {
  const model::FilesystemSettings& filesystem = configuration.values.filesystem;
  AreaAdvice advice = find_area_need(trials, configuration);
  std::vector<Changes> changes;
  for (const std::uint64_t area : candidates(advice)) {
    changes.push_back({area_setting(area, filesystem.block_size)});
    advice.points.push_back({area, {}});
  }
  trials.run(changes, [&](std::size_t i, const replay::Outcome& outcome) {
    advice.points[i].cost = cost_of(outcome.prediction, outcome.configuration.values);
  });
  advice.nearly = advice.smallest;
  for (const TunePoint& point : advice.points)
    if (nearly_never_full(point.cost)) {
      advice.nearly = std::min(advice.nearly, point.value);
      break;
    }
  return advice;
}

}  // namespace fcsim::questions::tune
