// From one trace: the smallest settings that give the best achievable result, and the number of
// ranges from which a fast commit costs more than the full commit that it avoids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/questions/tune/cost.h"
#include "sim/replay/predict_many.h"

namespace fcsim::questions::tune {

struct NamedDevice {
  std::string name;
  model::DeviceSettings settings;
};

struct TuneRequest {
  replay::PredictManyRequest common;  // its `configurations` and `keep_commits` are made here
  configuration::LoadRequest configuration;
  std::vector<NamedDevice>
      devices;  // to give the break-even for, in addition to the configured one
};

// One configuration that was tried.
struct TunePoint {
  std::uint64_t value = 0;  // blocks of the area, or max_ranges; 0: without limit
  JournalCost cost;
};

struct AreaAdvice {
  std::uint64_t current = 0;      // blocks; 0: the kernel's default
  std::uint64_t smallest = 0;     // blocks that are never full; larger areas gain nothing
  std::uint64_t nearly = 0;       // smallest tried that 1 sync in 100 at most finds full
  std::uint64_t most_used = 0;    // blocks that one transaction's fast commits took
  std::uint64_t largest = 0;      // blocks that mke2fs makes at most here
  bool limited_by_size = false;   // the largest area that mke2fs makes here is full at times
  std::uint32_t block_size = 0;   // bytes
  std::vector<TunePoint> points;  // by area, ascending
  std::vector<std::pair<model::Cause, std::uint64_t>> limits;  // full commits that remain, by count
};

struct RangeAdvice {
  std::uint64_t smallest = 0;     // max_ranges that is as good as no limit
  std::vector<TunePoint> points;  // policy "disjoint" by max_ranges, ascending; last: no limit
  JournalCost single_span;        // policy "single-span"
};

// The trace's sync calls that are fast commits with so many ranges, and the full commits that the
// same calls are without fast commits.
struct PairedCommits {
  std::uint64_t least_ranges = 0, most_ranges = 0;
  std::uint64_t count = 0;
  std::uint64_t fast_blocks = 0, full_blocks = 0;  // sums
};

struct DeviceCost {
  std::string name;
  double fast_us = 0;  // the mean fast commit of the pairs
  double full_us = 0;  // the mean full commit of the pairs
};

struct BreakEven {
  std::uint64_t pairs = 0;                    // sync calls that are one of each
  std::uint64_t full_blocks = 0;              // of their full commits, sum
  std::optional<std::uint64_t> ranges;        // from so many ranges a fast commit costs more than
                                              // the mean full commit, in blocks and device time
  std::uint64_t ranges_against_smallest = 0;  // the same against the smallest full commit
  std::uint64_t smallest_full = 0;            // its blocks
  std::uint32_t snapshot_cap = 0;             // ranges beyond which the kernel falls back; 0: none
  std::optional<std::uint64_t> observed;      // ranges of the first group of pairs that cost more
  std::vector<PairedCommits> groups;          // by ranges: 0, 1, 2-3, 4-7, ...
  std::vector<DeviceCost> devices;            // the configured one first
};

struct Tuning {
  std::string profile;
  model::FilesystemSettings filesystem;
  AreaAdvice area;
  RangeAdvice ranges;
  BreakEven break_even;
  std::vector<std::string> warnings;
};

// Throws InputError, also where the trace can be read only once and where fast commit is off.
Tuning tune(const TuneRequest& request);

}  // namespace fcsim::questions::tune
