// Where do blocks and inodes go? Both allocators by themselves: the layout that mke2fs leaves, held
// against dumpe2fs, and the order in which space is given out.
#include <numeric>

#include "model/ext4/allocation/block_allocator.h"
#include "model/ext4/allocation/inode_allocator.h"
#include "tests/catch.h"
#include "tests/model/parts.h"

using namespace fcsim;
using model::ext4::allocation::BlockAllocator;
using model::ext4::allocation::BlockExtent;
using model::ext4::allocation::BlockRequest;
using model::ext4::allocation::InodeAllocator;
using model::ext4::allocation::Preallocation;

namespace {

struct Disk : test::Parts {
  explicit Disk(model::FilesystemSettings of_disk = test::gibibyte()) : Parts(std::move(of_disk)) {}
  BlockAllocator blocks{geometry, filesystem, machine, kernel.block_allocation};
  InodeAllocator inodes{geometry, blocks, kernel.inode_allocation};
};

// The first blocks of a file that is open and grows.
BlockRequest first_blocks(const BlockAllocator& blocks, std::uint32_t length,
                          std::uint64_t size_blocks) {
  BlockRequest request;
  request.length = length;
  request.size_blocks = size_blocks;
  request.goal = blocks.inode_goal(0, true);
  return request;
}

}  // namespace

TEST_CASE("a new file system's free blocks are those of mke2fs 1.47", "[model]") {
  // dumpe2fs of mke2fs -t ext4 -O fast_commit on 1 GiB.
  const Disk disk;
  const std::vector<std::int64_t> free = {28521, 32639, 32768, 32639, 24448, 32639, 32768, 32639};
  for (std::uint32_t group = 0; group < free.size(); ++group) {
    INFO(group);
    CHECK(disk.blocks.free_blocks(group, group + 1) == free[group]);
  }
  CHECK(disk.blocks.root_directory_block() == 4241);
  CHECK(disk.blocks.free_now() == 249061);
  CHECK(disk.blocks.untouched(2));
  CHECK_FALSE(disk.blocks.untouched(0));
}

TEST_CASE("the same with 1 KiB blocks, where lost+found has twelve", "[model]") {
  const Disk disk(test::gibibyte_of_small_blocks());
  CHECK(disk.blocks.free_blocks(0, 1) == 5833);
  CHECK(disk.blocks.free_now() == 1012366);
  CHECK(disk.blocks.root_directory_block() == 2346);
}

TEST_CASE("small files share one window, one after the other", "[model]") {
  Disk disk;
  std::vector<Preallocation> a, b;
  const BlockExtent first = disk.blocks.allocate(first_blocks(disk.blocks, 3, 3), a);
  const BlockExtent second = disk.blocks.allocate(first_blocks(disk.blocks, 2, 2), b);
  CHECK(first.length == 3);
  CHECK(second.physical == first.physical + 3);
  CHECK(a.empty());
  CHECK(disk.blocks.set_aside() == 512 - 5);
  disk.blocks.give_up_set_aside();
  CHECK(disk.blocks.free_now() == 249061 - 5);
}

TEST_CASE("each CPU has a window of its own", "[model]") {
  Disk disk;
  std::vector<Preallocation> none;
  const BlockExtent first = disk.blocks.allocate(first_blocks(disk.blocks, 1, 1), none);
  disk.blocks.run_on(1);
  const BlockExtent other = disk.blocks.allocate(first_blocks(disk.blocks, 1, 1), none);
  disk.blocks.run_on(0);
  const BlockExtent second = disk.blocks.allocate(first_blocks(disk.blocks, 1, 1), none);
  CHECK(second.physical == first.physical + 1);
  CHECK(other.physical >= first.physical + 512);
}

TEST_CASE("a larger file gets its size class, and uses it up", "[model]") {
  Disk disk;
  std::vector<Preallocation> windows;
  const BlockExtent first = disk.blocks.allocate(first_blocks(disk.blocks, 17, 17), windows);
  CHECK(first.length == 17);
  REQUIRE(windows.size() == 1);  // 68 KiB: a class of 128 KiB
  CHECK(windows[0].logical == 17);
  CHECK(windows[0].length == 15);
  CHECK(windows[0].physical == first.physical + 17);
  BlockRequest next = first_blocks(disk.blocks, 15, 32);
  next.logical = 17;
  CHECK(disk.blocks.allocate(next, windows).physical == first.physical + 17);
  CHECK(windows.empty());
}

TEST_CASE("the classes and the window are rules of the kernel", "[model]") {
  Disk plain;
  plain.kernel.block_allocation.stream_request_blocks = 4;
  plain.kernel.block_allocation.smallest_window_kib = 64;
  std::vector<Preallocation> windows;
  plain.blocks.allocate(first_blocks(plain.blocks, 5, 5), windows);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].length == 16 - 5);
  plain.kernel.block_allocation.group_window_blocks = 100;
  std::vector<Preallocation> none;
  plain.blocks.allocate(first_blocks(plain.blocks, 1, 1), none);
  CHECK(plain.blocks.set_aside() == 99);
}

TEST_CASE("beyond 1 MiB the window is aligned in the file", "[model]") {
  Disk disk;
  std::vector<Preallocation> windows;
  BlockRequest request = first_blocks(disk.blocks, 10, 1300);  // 5 MiB: windows of 4 MiB
  request.logical = 1200;
  const BlockExtent found = disk.blocks.allocate(request, windows);
  CHECK(found.length == 10);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].logical == 1024);
  CHECK(windows[0].length == 1200 - 1024);
  CHECK(windows[1].logical == 1210);
  CHECK(windows[1].length == 2048 - 1210);
}

TEST_CASE("what is freed or discarded can be given out again", "[model]") {
  Disk disk;
  std::vector<Preallocation> windows;
  const BlockExtent found = disk.blocks.allocate(first_blocks(disk.blocks, 20, 20), windows);
  disk.blocks.free(found.physical, found.length);
  disk.blocks.discard(windows);
  CHECK(windows.empty());
  CHECK(disk.blocks.free_now() == 249061);
}

TEST_CASE("a metadata block lies at its goal or after it", "[model]") {
  Disk disk;
  const std::uint64_t goal = disk.blocks.first_block(2);
  const std::uint64_t block = disk.blocks.allocate_metadata(goal);
  CHECK(disk.blocks.group_of(block) == 2);
  CHECK_FALSE(disk.blocks.untouched(2));
}

TEST_CASE("a per-CPU counter lags by less than its batch", "[model]") {
  model::ClockSettings machine;
  model::ext4::allocation::PercpuCounter counter(100, machine);
  for (int i = 0; i < 31; ++i) counter.add(-1);
  CHECK(counter.read() == 100);
  counter.add(-1);
  CHECK(counter.read() == 68);
  machine.smp = false;
  model::ext4::allocation::PercpuCounter exact(100, machine);
  exact.add(-1);
  CHECK(exact.read() == 99);
}

TEST_CASE("a file takes the lowest free inode beside its parent", "[model]") {
  Disk disk;
  CHECK(disk.inodes.allocate_file(0) == 12);  // 11 is lost+found
  CHECK(disk.inodes.allocate_file(0) == 13);
  disk.inodes.free(12, false);
  CHECK(disk.inodes.allocate_file(0) == 12);
  CHECK(disk.inodes.allocate_file(0) == 14);
  disk.inodes.occupy(15, false);
  CHECK(disk.inodes.allocate_file(0) == 16);
}

TEST_CASE("a full group is followed by the next of its flex group", "[model]") {
  Disk disk;
  for (std::uint32_t i = 12; i <= 8192; ++i) REQUIRE(disk.inodes.allocate_file(0) == i);
  CHECK(disk.inodes.allocate_file(0) == 8193);
  CHECK(disk.inodes.group_of(8193) == 1);
  CHECK(disk.inodes.table_block_of(8193) == 0);
  CHECK(disk.inodes.table_block_of(8193 + 16) == 1);
}

TEST_CASE("directories below the root spread over the flex groups", "[model]") {
  model::FilesystemSettings large = test::gibibyte();
  large.block_count = 40 * 32768;
  large.inode_count = 40 * 8192;
  Disk disk(large);  // three flex groups, the last of eight groups
  std::vector<std::uint32_t> groups;
  for (std::uint64_t i = 0; i < 4; ++i)
    groups.push_back(disk.inodes.group_of(disk.inodes.allocate_directory(0, true, 1)));
  // The name's hash says which flex group is looked at first. The third has fewer inodes than the
  // average, and the first holds two directories from the start.
  CHECK(groups == std::vector<std::uint32_t>{16, 16, 16, 0});
}

TEST_CASE("a directory below another stays in its parent's flex group", "[model]") {
  Disk disk;
  CHECK(disk.inodes.group_of(disk.inodes.allocate_directory(0, false, 1)) == 0);
}

TEST_CASE("a file system runs out of inodes", "[model]") {
  model::FilesystemSettings small = test::gibibyte();
  small.inodes_per_group = 16;
  small.inode_count = 8 * 16;
  Disk disk(small);
  std::uint32_t given = 0;
  while (disk.inodes.allocate_file(0) != 0) ++given;
  CHECK(given == 8 * 16 - 11);
  CHECK_FALSE(disk.inodes.any_free());
}
