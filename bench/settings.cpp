// How much many settings cost beside one: the trace is decoded once into memory, then replayed for
// one setting and for a grid of them, in turn. Processor time of this thread, so that other work on
// the machine counts little.
//
//   settings TRACE-OR-BUNDLE ROUNDS AREAS [INTERVALS [RANGES]]
//
// The grid is AREAS sizes of the fast-commit area x INTERVALS commit intervals x RANGES range
// limits.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/engine/engine.h"
#include "sim/replay/decoder.h"
#include "sim/replay/inputs.h"
#include "sim/replay/lanes/lane_group.h"
#include "sim/replay/lanes/sharing.h"

using namespace fcsim;

namespace {

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<model::Configuration> grid(const model::Configuration& base, int areas, int intervals,
                                       int ranges) {
  std::vector<model::Configuration> points;
  for (int area = 1; area <= areas; ++area)
    for (int interval = 1; interval <= intervals; ++interval)
      for (int range = 1; range <= ranges; ++range) {
        model::Configuration& point = points.emplace_back(base);
        point.filesystem.fast_commit_blocks = static_cast<std::uint32_t>(area * 64);
        point.filesystem.journal_blocks = 16384;
        if (intervals > 1) point.mount.commit_interval_s = 3 * interval;
        if (ranges > 1) {
          point.kernel.range_tracking.policy = model::TrackerPolicy::disjoint;
          point.kernel.range_tracking.max_ranges = static_cast<std::uint32_t>(range * range);
        }
      }
  return points;
}

// Replays the settings as lanes, shared out as a sweep does; returns those that could not go along.
std::vector<const model::Configuration*> left_by_lanes(
    const std::vector<const model::Configuration*>& settings,
    const std::vector<model::Operation>& operations, const replay::TraceDecoder& decoder,
    replay::lanes::LaneStatistics& statistics) {
  const replay::lanes::Shares shares = replay::lanes::share(settings, decoder.initial(), 1);
  std::vector<const model::Configuration*> left;
  for (const std::size_t i : shares.alone) left.push_back(settings[i]);
  for (const std::vector<std::size_t>& members : shares.lanes) {
    std::vector<const model::Configuration*> those;
    for (const std::size_t i : members) those.push_back(settings[i]);
    replay::lanes::LaneGroup group(those, decoder.initial(), {});
    for (const model::Operation& operation : operations)
      if (!group.deserted()) group.replay(operation);
    const auto answers = group.finish(decoder.end());
    statistics.add(group.statistics());
    for (std::size_t i = 0; i < those.size(); ++i)
      if (!answers[i]) left.push_back(those[i]);
  }
  return left;
}

int bench(const std::string& input, int rounds, int areas, int intervals, int ranges) {
  const replay::Inputs inputs = replay::find_inputs({input});
  configuration::LoadRequest wanted;
  if (const char* folder = std::getenv("FCSIM_CONFIG_DIR")) wanted.directories = {folder};
  if (!inputs.environment.empty()) wanted.files.push_back(inputs.environment);
  const configuration::LoadedConfiguration loaded = configuration::load(wanted);
  replay::TraceDecoder decoder(inputs, replay::decode_settings(loaded, false));
  std::vector<model::Operation> operations;
  for (replay::OperationChunk chunk; decoder.next(chunk);)
    operations.insert(operations.end(), chunk.begin(), chunk.end());

  const std::vector<model::Configuration> points = grid(loaded.values, areas, intervals, ranges);
  std::vector<const model::Configuration*> configurations;
  for (const model::Configuration& point : points) configurations.push_back(&point);

  const auto alone = [&](const model::Configuration& configuration) {
    engine::Engine engine(configuration, decoder.initial(), {});
    for (const model::Operation& operation : operations) engine.replay(operation);
    return engine.finish(decoder.end()).commits;
  };
  std::vector<double> one;
  std::vector<double> all;
  std::size_t left = 0;
  replay::lanes::LaneStatistics statistics;
  for (int round = 0; round < rounds; ++round) {
    double start = seconds();
    (void)alone(points[points.size() / 2]);
    one.push_back(seconds() - start);
    start = seconds();
    std::vector<const model::Configuration*> those = configurations;
    std::size_t answered = 0;
    do {
      const std::size_t before = those.size();
      those = left_by_lanes(those, operations, decoder, statistics);
      answered = before - those.size();
    } while (!those.empty() && replay::lanes::worth_another_pass(answered));
    all.push_back(seconds() - start);
    left = those.size();
  }
  const double total = median(all) + static_cast<double>(left) * median(one);
  std::printf("| %s | %zu | %.3f | %zu | %.3f | %.1f | %zu |\n", input.c_str(), operations.size(),
              median(one), points.size(), total, total / median(one), left);
  std::fprintf(stderr, "passed over %llu, awakened %llu",
               static_cast<unsigned long long>(statistics.passed_over),
               static_cast<unsigned long long>(statistics.awakened));
  for (std::size_t i = 0; i < replay::lanes::kDivergences; ++i)
    if (statistics.diverged[i] != 0)
      std::fprintf(stderr, ", %s %llu", replay::lanes::kDivergenceNames[i].data(),
                   static_cast<unsigned long long>(statistics.diverged[i]));
  std::fputc('\n', stderr);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: settings TRACE-OR-BUNDLE ROUNDS AREAS [INTERVALS [RANGES]]\n");
    return 2;
  }
  try {
    return bench(arguments[1], std::max(1, std::atoi(arguments[2])),
                 std::max(1, std::atoi(arguments[3])),
                 count > 4 ? std::max(1, std::atoi(arguments[4])) : 1,
                 count > 5 ? std::max(1, std::atoi(arguments[5])) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "settings: %s\n", error.what());
    return 1;
  }
}
