// How many separate ranges in a commit cost more than the full commit that they avoid.
#include <algorithm>
#include <bit>
#include <map>

#include "sim/questions/tune/trials.h"

namespace fcsim::questions::tune {
namespace {

using Place = std::pair<std::uint16_t, std::uint64_t>;  // trace file and line of a sync call

struct Fast {
  std::uint64_t blocks = 0, ranges = 0;
};

// Every range tracked on its own, room for all: what fast commits of the trace cost, refusals and
// lack of room apart.
std::map<Place, Fast> fast_commits(Trials& trials, std::uint64_t area, std::uint32_t block_size) {
  const replay::Outcome outcome =
      trials.run_one({"range_tracking.policy=unlimited", "snapshot.max_ranges=4294967295",
                      area_setting(area, block_size)});
  std::map<Place, Fast> fast;
  for (const model::FastCommitRecord& record : outcome.prediction.fast_commits)
    if (record.outcome == model::Outcome::ok && record.origin.line != 0)
      fast[{record.origin.source, record.origin.line}] = {record.blocks, record.ranges};
  return fast;
}

// Blocks of the full commits that the sync calls are without fast commits.
std::map<Place, std::uint64_t> full_commits(Trials& trials) {
  const replay::Outcome outcome = trials.run_one({"filesystem.fast_commit=false"});
  std::map<Place, std::uint64_t> full;
  for (const model::FullCommitRecord& record : outcome.prediction.full_commits)
    if (record.origin.line != 0 && record.cause == model::Cause::fast_commit_off)
      full[{record.origin.source, record.origin.line}] = record.blocks_logged;
  return full;
}

// Groups 0, 1, 2-3, 4-7, ...: the number of binary digits.
PairedCommits& group_of(std::vector<PairedCommits>& groups, std::uint64_t ranges) {
  const auto index = static_cast<std::size_t>(std::bit_width(ranges));
  while (groups.size() <= index) {
    const std::size_t digits = groups.size();
    const std::uint64_t least = digits == 0 ? 0 : std::uint64_t{1} << (digits - 1);
    groups.push_back({least, digits == 0 ? 0 : 2 * least - 1, 0, 0, 0});
  }
  return groups[index];
}

DeviceCost device_cost(const std::string& name, const model::DeviceSettings& device,
                       const std::map<Place, Fast>& fast,
                       const std::map<Place, std::uint64_t>& full,
                       const model::Configuration& configuration) {
  DeviceCost cost{name, 0, 0};
  const auto us = [&](std::uint64_t blocks) {
    return engine::commit_microseconds(blocks, configuration.filesystem.block_size,
                                       configuration.mount.barrier, device);
  };
  std::uint64_t pairs = 0;
  for (const auto& [place, one] : fast) {
    const auto other = full.find(place);
    if (other == full.end()) continue;
    ++pairs;
    cost.fast_us += us(one.blocks);
    cost.full_us += us(other->second);
  }
  if (pairs != 0) {
    cost.fast_us /= static_cast<double>(pairs);
    cost.full_us /= static_cast<double>(pairs);
  }
  return cost;
}

}  // namespace

BreakEven find_break_even(Trials& trials, const configuration::LoadedConfiguration& configuration,
                          const AreaAdvice& area, const std::vector<NamedDevice>& devices) {
  const model::FilesystemSettings& filesystem = configuration.values.filesystem;
  const auto fast = fast_commits(trials, area.largest, filesystem.block_size);
  const auto full = full_commits(trials);
  BreakEven result;
  if (configuration.values.kernel.snapshot.enabled)
    result.snapshot_cap = configuration.values.kernel.snapshot.max_ranges;
  for (const auto& [place, one] : fast) {
    const auto other = full.find(place);
    if (other == full.end()) continue;
    ++result.pairs;
    result.full_blocks += other->second;
    if (result.smallest_full == 0 || other->second < result.smallest_full)
      result.smallest_full = other->second;
    PairedCommits& group = group_of(result.groups, one.ranges);
    ++group.count;
    group.fast_blocks += one.blocks;
    group.full_blocks += other->second;
  }
  std::erase_if(result.groups, [](const PairedCommits& group) { return group.count == 0; });
  for (const PairedCommits& group : result.groups)
    if (group.fast_blocks > group.full_blocks && !result.observed)
      result.observed = group.least_ranges;
  if (result.pairs != 0) {
    result.ranges = ranges_beyond(result.full_blocks, result.pairs, filesystem);
    result.ranges_against_smallest = ranges_beyond(result.smallest_full, 1, filesystem);
  }
  result.devices.push_back(
      device_cost("as configured", configuration.values.device, fast, full, configuration.values));
  for (const NamedDevice& device : devices)
    result.devices.push_back(
        device_cost(device.name, device.settings, fast, full, configuration.values));
  return result;
}

}  // namespace fcsim::questions::tune
