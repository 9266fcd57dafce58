// Is FreeSpace the free blocks of a group? Compared with a vector of flags, and its buddy search
// with a naive one over all aligned chunks.
#include "model/ext4/allocation/free_space.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/catch.h"
#include "tests/model/random.h"

using namespace fcsim;
using model::ext4::allocation::FreeSpace;
using test::Random;

namespace {

constexpr std::uint32_t kGroupBlocks = 256;
constexpr std::uint32_t kMaxOrder = 6;

using Flags = std::vector<bool>;  // true: free

std::uint32_t free_from(const Flags& flags, std::uint32_t first) {
  std::uint32_t end = first;
  while (end < flags.size() && flags[end]) ++end;
  return end - first;
}

// The buddy's chunks: from each free run's start, as large as alignment and the run allow.
std::optional<std::uint32_t> buddy_fit(const Flags& flags, std::uint32_t order) {
  for (std::uint32_t wanted = order; wanted <= kMaxOrder; ++wanted) {
    for (std::uint32_t block = 0; block < flags.size();) {
      if (!flags[block]) {
        ++block;
        continue;
      }
      std::uint32_t chunk = kMaxOrder;
      while (block % (1U << chunk) != 0 || free_from(flags, block) < (1U << chunk)) --chunk;
      if (chunk == wanted) return block;
      block += 1U << chunk;
    }
  }
  return std::nullopt;
}

void compare(const FreeSpace& space, const Flags& flags, Random& random) {
  REQUIRE(space.free_blocks() ==
          static_cast<std::uint32_t>(std::count(flags.begin(), flags.end(), true)));
  std::uint32_t fragments = 0;
  std::uint32_t longest = 0;
  for (std::uint32_t b = 0; b < flags.size(); ++b) {
    if (!flags[b] || (b != 0 && flags[b - 1])) continue;
    ++fragments;
    longest = std::max(longest, free_from(flags, b));
  }
  REQUIRE(space.fragments() == fragments);
  REQUIRE(space.longest().length() == longest);
  const auto probe = static_cast<std::uint32_t>(random.between(0, kGroupBlocks - 1));
  REQUIRE(space.free_from(probe) == free_from(flags, probe));
  const auto length = static_cast<std::uint32_t>(random.between(1, 40));
  std::optional<std::uint32_t> fit;
  for (std::uint32_t b = 0; b < flags.size() && !fit; ++b)
    if ((b == 0 || !flags[b - 1]) && free_from(flags, b) >= length) fit = b;
  REQUIRE(space.first_fit(length) == fit);
  const auto order = static_cast<std::uint32_t>(random.between(1, kMaxOrder));
  REQUIRE(space.buddy_fit(order, kMaxOrder) == buddy_fit(flags, order));
}

}  // namespace

TEST_CASE("FreeSpace is the free blocks of a group", "[free space]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    FreeSpace space(kGroupBlocks);
    Flags flags(kGroupBlocks, true);
    for (int step = 0; step < 300; ++step) {
      const auto first = static_cast<std::uint32_t>(random.between(0, kGroupBlocks - 1));
      const auto length =
          static_cast<std::uint32_t>(random.between(1, std::min(kGroupBlocks - first, 30U)));
      INFO("seed " << seed << ", step " << step << ": " << first << "+" << length);
      const auto begin = flags.begin() + first;
      const auto end = begin + length;
      const auto free = static_cast<std::uint32_t>(std::count(begin, end, true));
      if (free == length)
        space.take(first, length);
      else if (free == 0)
        space.give(first, length);
      else
        space.take_any(first, length);
      std::fill(begin, end, free == 0);
      compare(space, flags, random);
    }
  }
}
