// Is BlockSet a set of blocks? Compared with std::set over random insertions and removals.
#include "model/common/block_set.h"

#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/model/random.h"

using namespace fcsim;
using model::BlockRun;
using model::BlockSet;
using test::Random;

namespace {

std::vector<BlockRun> runs_of(const std::set<std::uint64_t>& blocks) {
  std::vector<BlockRun> runs;
  for (const std::uint64_t block : blocks) {
    if (runs.empty() || runs.back().end != block)
      runs.push_back({block, block + 1});
    else
      ++runs.back().end;
  }
  return runs;
}

std::vector<BlockRun> runs_of(const BlockSet& set) {
  return {set.runs().begin(), set.runs().end()};
}

// Random changes within 64 blocks from `base` on, so that they often meet.
void compare(std::uint64_t seed, std::uint64_t base) {
  Random random(seed);
  BlockSet set;
  std::set<std::uint64_t> expected;
  for (int step = 0; step < 400; ++step) {
    const std::uint64_t first = base + random.between(0, 63);
    const std::uint64_t end = first + random.between(0, base + 64 - first);
    const bool insert = !random.one_in(3);
    INFO("seed " << seed << ", step " << step << (insert ? ": insert " : ": erase ") << first
                 << ".." << end);
    if (insert) {
      set.insert(first, end);
      for (std::uint64_t b = first; b < end; ++b) expected.insert(b);
    } else {
      set.erase(first, end);
      for (std::uint64_t b = first; b < end; ++b) expected.erase(b);
    }
    REQUIRE(runs_of(set) == runs_of(expected));
    REQUIRE(set.count() == expected.size());
    REQUIRE(set.empty() == expected.empty());
    const std::uint64_t probe = base + random.between(0, 64);
    REQUIRE(set.contains(probe) == expected.contains(probe));
    const auto from = set.from(probe);
    const auto above = expected.lower_bound(probe);
    REQUIRE((from == set.runs().end()) == (above == expected.end()));
    if (above != expected.end()) {
      REQUIRE(from->first <= *above);
      REQUIRE(from->end > *above);
    }
  }
}

}  // namespace

TEST_CASE("a BlockSet holds what was inserted and not removed", "[block set]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) compare(seed, 0);
}

TEST_CASE("a BlockSet reaches the last block of a file", "[block set]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) compare(seed, 0x100000000ULL - 64);
  BlockSet set;
  set.insert(0, 0x100000000ULL);
  set.erase(5, 0xffffffffULL);
  CHECK(runs_of(set) == std::vector<BlockRun>{{0, 5}, {0xffffffffULL, 0x100000000ULL}});
}
