// Where does a new directory go? By Orlov's rule beside what the counters of free inodes and blocks
// say of the average. Those of a kernel for several processors lag, so on a file system of one flex
// group the average seems never reached and each directory of the root takes a group of its own;
// exact ones (user-mode 6.1 and 6.12) leave it in the first group. 1 GiB, 8 groups.
#include "tests/blocks/cost.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// Blocks of the second directory in the root, in a transaction of its own.
std::uint32_t blocks_of_second(const std::vector<std::string>& settings) {
  World world(without_fast_commit(settings));
  world.make_directory("first");
  world.close(world.create("opened before"));
  world.syncfs();
  world.make_directory("second");
  world.syncfs();
  return world.finish().full_commits.back().blocks;
}

}  // namespace

TEST_CASE("a kernel without SMP keeps directories of the root in the first group", "[blocks]") {
  const std::uint32_t lagging = blocks_of_second({});
  const std::uint32_t exact = blocks_of_second({"kernel.smp=false"});
  CHECK(exact < lagging);  // the group's bitmaps and the inode's table block are journalled already
  CHECK(lagging == 8);
}
