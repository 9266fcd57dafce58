// How much many settings cost beside one: the trace is decoded once into memory, then replayed for
// one setting and for a grid of them, in turn. Processor time of this thread, so that other work on
// the machine counts little. The area comes in addition to the log, as mke2fs makes it.
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
#include <utility>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/replay/decoder.h"
#include "sim/replay/inputs.h"
#include "sim/replay/shared_runs.h"

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
        point.filesystem.journal_blocks = 8192 + point.filesystem.fast_commit_blocks;
        if (intervals > 1) point.mount.commit_interval_s = 3 * interval;
        if (ranges > 1) {
          point.kernel.range_tracking.policy = model::TrackerPolicy::disjoint;
          point.kernel.range_tracking.max_ranges = static_cast<std::uint32_t>(range * range);
        }
      }
  return points;
}

int bench(const std::string& input, int rounds, int areas, int intervals, int ranges) {
  const replay::Inputs inputs = replay::find_inputs({input});
  configuration::LoadRequest wanted;
  if (const char* folder = std::getenv("FCSIM_CONFIG_DIR")) wanted.directories = {folder};
  if (!inputs.environment.empty()) wanted.files.push_back(inputs.environment);
  const configuration::LoadedConfiguration loaded = configuration::load(wanted);
  replay::TraceDecoder decoder(inputs, replay::decode_settings(loaded, false));
  replay::KeptTrace trace;
  std::size_t calls = 0;
  for (replay::OperationChunk chunk; decoder.next(chunk); chunk = {}) {
    calls += chunk.size();
    trace.chunks.push_back(std::move(chunk));
  }
  trace.end = replay::end_of_observation(inputs, decoder.end());

  const std::vector<model::Configuration> points = grid(loaded.values, areas, intervals, ranges);
  std::vector<const model::Configuration*> pointers;
  for (const model::Configuration& point : points) pointers.push_back(&point);
  const std::vector<const model::Configuration*> middle = {pointers[pointers.size() / 2]};
  std::vector<double> one;
  std::vector<double> all;
  std::size_t runs = 0;
  for (int round = 0; round < rounds; ++round) {
    double start = seconds();
    (void)replay::replay_shared(decoder, trace, middle, {}, 1, {});
    one.push_back(seconds() - start);
    start = seconds();
    runs = replay::replay_shared(decoder, trace, pointers, {}, 1, {}).runs;
    all.push_back(seconds() - start);
  }
  std::printf("| %s | %zu | %.3f | %zu | %.3f | %.1f | %zu |\n", input.c_str(), calls, median(one),
              points.size(), median(all), median(all) / median(one), runs);
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
