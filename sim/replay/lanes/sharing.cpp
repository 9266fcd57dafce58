#include "sim/replay/lanes/sharing.h"

#include <algorithm>
#include <exception>

#include "model/common/geometry.h"
#include "sim/replay/initial_check.h"

namespace fcsim::replay::lanes {
namespace {

constexpr std::size_t kFewest = 3;  // lanes that are worth a leader
// A pass costs a decoding of the trace, its leader and what lanes do until they are out: less than
// this many engines of their own.
constexpr std::size_t kWorthPass = 8;

bool can_be_mounted(const model::Configuration& configuration, const model::InitialState& initial) {
  try {
    check_initial(initial, configuration.filesystem);
    const model::Geometry geometry(configuration.filesystem, configuration.mount,
                                   configuration.kernel);
    return geometry.fast_commit_active;
  } catch (const std::exception&) {
    return false;
  }
}

void divide(const std::vector<std::size_t>& list, std::size_t parts, Shares& shares) {
  const auto at = [&](std::size_t part) {
    return list.begin() + static_cast<std::ptrdiff_t>(list.size() * part / parts);
  };
  for (std::size_t part = 0; part < parts; ++part)
    shares.lanes.emplace_back(at(part), at(part + 1));
}

}  // namespace

bool can_be_lane(const model::Configuration& configuration) {
  const model::FilesystemSettings& fs = configuration.filesystem;
  return fs.has("has_journal") && fs.has("fast_commit") && fs.journal_blocks != 0 &&
         configuration.mount.data != model::DataMode::journal;
}

bool can_share(const model::Configuration& one, const model::Configuration& other) {
  model::Configuration same = other;
  same.kernel.profile = one.kernel.profile;
  same.kernel.summary = one.kernel.summary;
  same.kernel.range_tracking = one.kernel.range_tracking;
  same.kernel.snapshot.max_inodes = one.kernel.snapshot.max_inodes;
  same.kernel.snapshot.max_ranges = one.kernel.snapshot.max_ranges;
  same.filesystem.fast_commit_blocks = one.filesystem.fast_commit_blocks;
  same.filesystem.journal_blocks = one.filesystem.journal_blocks;
  same.mount.commit_interval_s = one.mount.commit_interval_s;
  return same == one;
}

Shares share(const std::vector<const model::Configuration*>& configurations,
             const model::InitialState& initial, unsigned threads) {
  Shares shares;
  std::vector<std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const model::Configuration& configuration = *configurations[i];
    if (!can_be_lane(configuration) || !can_be_mounted(configuration, initial)) {
      shares.alone.push_back(i);
      continue;
    }
    const auto found = std::find_if(alike.begin(), alike.end(), [&](const auto& list) {
      return can_share(*configurations[list.front()], configuration);
    });
    (found == alike.end() ? alike.emplace_back() : *found).push_back(i);
  }
  for (const std::vector<std::size_t>& list : alike) {
    if (list.size() < kFewest)
      shares.alone.insert(shares.alone.end(), list.begin(), list.end());
    else
      divide(list, std::clamp<std::size_t>(list.size() / kFewest, 1, threads), shares);
  }
  return shares;
}

bool worth_another_pass(std::size_t answered) {
  return answered >= kWorthPass;
}

}  // namespace fcsim::replay::lanes
