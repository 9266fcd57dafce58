// When does a directory grow, and what does that journal? Names of 17 bytes, 145 to a block, as
// measured on 6.18: the entry after them turns the block into an index with two leaves, and from
// then on a full leaf splits. Each costs three blocks over a plain create.
//
// Which leaf a name falls into depends on the file system's hash seed, so the entries at which
// leaves split cannot be foretold: the measured ones were 286 and 295. Two leaves of 145 entries,
// half full each at first, are split for the first time when 217 to 290 entries are there; three
// hold at most 435.
#include <string>
#include <vector>

#include "tests/blocks/cost.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::string name_of(std::size_t i) {
  const std::string digits = std::to_string(i);
  return "entry-" + std::string(11 - digits.size(), '0') + digits;
}

// Blocks of each create in a subdirectory in group 1, each in a transaction of its own.
std::vector<std::uint32_t> blocks_of_creates(std::size_t count) {
  World world(without_fast_commit());
  world.make_directory("first");
  const FileId directory = world.make_directory("second");
  world.close(world.create("opened before"));
  world.syncfs();
  const Time from = world.now;
  for (std::size_t i = 0; i < count; ++i) {
    world.close(world.create(name_of(i), directory));
    world.syncfs();
  }
  world.now += kSecond;
  std::vector<std::uint32_t> blocks;
  for (const model::FullCommitRecord& commit : world.finish().full_commits)
    if (commit.start >= from) blocks.push_back(commit.blocks);
  return blocks;
}

}  // namespace

TEST_CASE("a directory grows by three blocks at a time", "[blocks]") {
  const std::vector<std::uint32_t> blocks = blocks_of_creates(436);
  REQUIRE(blocks.size() == 436);
  std::vector<std::size_t> growths;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    INFO("entry " << i);
    if (blocks[i] != 5) {
      CHECK(blocks[i] == 8);
      growths.push_back(i);
    }
  }
  REQUIRE(growths.size() >= 3);
  CHECK(growths[0] == 145);
  CHECK(growths[1] >= 217);
  CHECK(growths[1] <= 290);
  CHECK(growths[2] <= 435);
}
