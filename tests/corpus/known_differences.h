// The recordings that are not predicted exactly, each with its cause: known_differences.toml.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/questions/validate/validate.h"

namespace fcsim::test {

// One listed case: what we say for each counter that is not the kernel's.
struct KnownDifference {
  std::string cause;
  // What the environment does not say, as "table.key=value": with it the case is exact. "": no
  // cure.
  std::string cure;
  std::map<std::string, std::uint64_t> predicted;
};

// A folder of recordings, as far as the file speaks of it.
struct KnownSet {
  std::map<std::string, KnownDifference> cases;
  // Full commits whose blocks must be the kernel's, in percent, over the cases not excluded.
  std::int64_t blocks_percent = 0;
  std::map<std::string, std::string> blocks_excluded;  // case -> cause
};

std::map<std::string, KnownSet> read_known_differences();

// Compares the results of one set with its list. Returns what is wrong, a line each; "" if nothing:
// - a case that is not listed differs or failed,
// - a listed case is exact now (the list shrinks),
// - a counter is further off than listed, or one that is not listed is off,
// - a listed case does not exist.
std::string check_differences(const KnownSet& known,
                              const std::vector<questions::validate::BundleResult>& results);

// The same for the share of full commits with the kernel's blocks.
std::string check_blocks(const KnownSet& known,
                         const std::vector<questions::validate::BundleResult>& results);

// The file's text for these results, with the causes it has now.
std::string differences_text(const std::string& set, const KnownSet& known,
                             const std::vector<questions::validate::BundleResult>& results);

}  // namespace fcsim::test
