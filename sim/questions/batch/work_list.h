// What a batch has to do: bundles, settings, and this process's share of their product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/questions/batch/result_database.h"
#include "sim/questions/sweep/parameter.h"

namespace fcsim::questions::batch {

// Share `index` (from 0) of `count`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

// "I/N" with I from 1 to N. Throws InputError.
Shard parse_shard(const std::string& text);

struct Setting {
  SettingDescription description;
  configuration::LoadRequest request;
};

// The points of the grid on top of what they share, as `fcsim run` would be told. Throws InputError
// as grid() does.
std::vector<Setting> make_settings(const configuration::LoadRequest& shared,
                                   const std::string& mount_point, bool strict,
                                   const std::vector<sweep::Parameter>& parameters);

// One bundle under settings [begin, end), which share one decoding and whatever runs they can.
struct Unit {
  std::string bundle;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t weight = 0;  // how much work it is, relative to others; for estimates
};

// A word of a shell's command line, quoted where it must be.
std::string shell_word(const std::string& text);

// One shard's units, heaviest first. They are dealt out by weight, in whatever order the bundles
// are given: each, heaviest first, to the shard that has least by then. So shards end together,
// unless one unit is more than a share of all. All shards must see the same traces.
std::vector<Unit> make_units(std::vector<std::string> bundles, std::size_t settings,
                             const Shard& shard);

}  // namespace fcsim::questions::batch
