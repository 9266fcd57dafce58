// Which file ranges are mapped for writing, and who keeps a file alive by it?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;

namespace {
constexpr const char* kSixteenBlocks = "f\t644\t12\t1\t65536\t128\tf\t0:34304:16\n";
Make map(std::int32_t fd, std::int64_t address, std::int64_t offset, std::int64_t length,
         std::uint64_t flags = 1, std::uint64_t protection = 3) {
  return Make(Call::mmap)
      .fd(fd)
      .offset(offset)
      .length(length)
      .flags(flags)
      .argument(protection)
      .result(address);
}
Make unmap(std::int64_t address, std::int64_t length) {
  return Make(Call::munmap).offset(address).length(length);
}
}  // namespace

TEST_CASE("a shared writable mapping, its msync and its end", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  CHECK(run(map(3, 0x10000, 4096, 16384)) == "read:1 0+0; map:1 4096+16384");
  CHECK(run(Make(Call::msync).offset(0x11000).length(4096).flags(4)) == "msync:1 8192+4096 mapped");
  CHECK(run(Make(Call::msync).offset(0x11000).length(4096).flags(1)).empty());
  CHECK(run(unmap(0x10000, 16384)) == "unmap:1 4096+16384");
  CHECK(run.count("stores through shared mappings") == 1);
}

TEST_CASE("munmap of a middle leaves both ends", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  run(map(3, 0x10000, 0, 0x4000));
  CHECK(run(unmap(0x11000, 0x1000)) == "unmap:1 4096+4096");
  CHECK(run(unmap(0x10000, 0x4000)) == "unmap:1 0+4096; unmap:1 8192+8192");
}

TEST_CASE("a mapping over another replaces it", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  run(map(3, 0x10000, 0, 0x2000));
  CHECK(run(map(-1, 0x10000, 0, 0x1000, 0x22)) == "unmap:1 0+4096");
}

TEST_CASE("private and read-only mappings read, and hold the file", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  CHECK(run(map(3, 0x10000, 0, 0x1000, 2, 3)) == "read:1 0+0");
  CHECK(run(map(3, 0x20000, 0, 0x1000, 1, 1)) == "read:1 0+0");
  CHECK(run(Make(Call::msync).offset(0x20000).length(4096).flags(4)) == "msync:1 0+4096");
  run(Make(Call::unlink).path("f"));
  CHECK(run(closes(3)) == "release:1 w");
  CHECK(run(unmap(0x10000, 0x1000)).empty());
  CHECK(run(unmap(0x20000, 0x1000)) == "evict:1");
}

TEST_CASE("exit and exec drop mappings before descriptors", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both | o::close_on_exec, 3));
  run(map(3, 0x10000, 0, 0x1000));
  CHECK(run(Make(Call::execve).path("/bin/x")) == "unmap:1 0+4096; release:1 w");
  run(opens("f", o::both, 3));
  run(map(3, 0x10000, 0, 0x1000));
  run(Make(Call::unlink).path("f"));
  CHECK(run(Make(Call::exit_group).unfinished()) == "unmap:1 0+4096; release:1 w; evict:1");
}

TEST_CASE("fork copies mappings: they hold the file but are not told again", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  run(map(3, 0x10000, 0, 0x1000));
  run(Make(Call::fork).result(2));
  CHECK(run(closes(3).pid(2)).empty());
  CHECK(run(unmap(0x10000, 0x1000)) == "unmap:1 0+4096");
  run(Make(Call::unlink).path("f"));
  CHECK(run(closes(3)) == "release:1 w");
  CHECK(run(Make(Call::msync).pid(2).offset(0x10000).length(4096).flags(4)) ==
        "msync:1 0+4096 mapped");
  CHECK(run(Make(Call::exit_group).pid(2).unfinished()) == "evict:1");
}

TEST_CASE("mremap tells the end of one mapping and the start of the next", "[resolver]") {
  Scenario run(kSixteenBlocks);
  run(opens("f", o::both, 3));
  run(map(3, 0x10000, 0, 0x1000));
  CHECK(run(Make(Call::mremap).offset(0x10000).length(0x1000).argument(0x3000).result(0x40000)) ==
        "unmap:1 0+4096; map:1 0+12288");
  CHECK(run(unmap(0x40000, 0x3000)) == "unmap:1 0+12288");
}
