// Which blocks of a directory does a name dirty, and when does the directory grow?
#include "model/ext4/directory.h"

#include "tests/catch.h"
#include "tests/model/parts.h"
#include "tests/seam/recording_journal.h"

using namespace fcsim;
using model::ext4::Directory;

namespace {

struct GrowingDirectory : test::Parts {
  GrowingDirectory() {
    directory.add_first_block(1000);
    journal.begin(0, 8, {});
  }
  // The number of blocks that the insertion allocates.
  int insert(std::uint64_t hash) {
    constexpr std::uint32_t length = 20;  // 28 bytes with the entry's head
    const Directory::Growth growth = directory.growth_for(hash, length);
    directory.insert(hash, length, {next_, next_ + 1}, &journal);
    const int blocks = growth == Directory::Growth::index       ? 2
                       : growth == Directory::Growth::new_block ? 1
                                                                : 0;
    next_ += static_cast<std::uint64_t>(blocks);
    return blocks;
  }

  Directory directory{geometry, true, 9};
  test::RecordingJournal journal;
  std::uint64_t next_ = 2000;
};

// Spread over all hashes.
std::uint64_t hash_of(std::uint64_t i) {
  return (i * 0x9e3779b9U) & 0xffffffffU;
}

}  // namespace

TEST_CASE("names fill the first block, which is the one that is dirtied", "[model]") {
  GrowingDirectory b;
  // 4096 bytes less the checksum's 12 and the 24 of "." and "..": 145 entries of 28.
  for (std::uint64_t i = 0; i < 145; ++i) REQUIRE(b.insert(hash_of(i)) == 0);
  CHECK(b.directory.blocks() == 1);
  CHECK(b.journal.logged().size() == 1);
  CHECK(b.journal.logged().front().kind == model::ItemKind::directory_block);
  CHECK(b.journal.logged().front().owner == 9);
}

TEST_CASE("one name more makes an index of it and two leaves", "[model]") {
  GrowingDirectory b;
  for (std::uint64_t i = 0; i < 145; ++i) b.insert(hash_of(i));
  b.journal.clear();
  CHECK(b.insert(hash_of(145)) == 2);
  CHECK(b.directory.indexed());
  CHECK(b.directory.blocks() == 3);
  CHECK(b.directory.first_physical() == 1000);  // the root stays where it was
  CHECK(b.journal.logged().size() == 2);        // the root was dirty already
}

TEST_CASE("a full leaf splits into two", "[model]") {
  GrowingDirectory b;
  std::uint64_t i = 0;
  while (b.directory.blocks() != 3) b.insert(hash_of(i++));
  int grown = 0;
  while (grown == 0) grown = b.insert(hash_of(i++));
  CHECK(grown == 1);
  CHECK(b.directory.blocks() == 4);
  std::size_t names = 0;
  for (const Directory::Leaf& leaf : b.directory.leaves()) names += leaf.entries.size();
  CHECK(names == i);
}

TEST_CASE("a removed name gives its bytes back", "[model]") {
  GrowingDirectory b;
  for (std::uint64_t i = 0; i < 145; ++i) b.insert(hash_of(i));
  CHECK(b.directory.remove(hash_of(7), b.journal));
  CHECK_FALSE(b.directory.remove(hash_of(7), b.journal));
  CHECK(b.insert(hash_of(1000)) == 0);
}

TEST_CASE("without an index a directory grows by a block at its end", "[model]") {
  GrowingDirectory b;
  Directory plain(b.geometry, false, 3);
  plain.add_first_block(1);
  std::uint64_t i = 0;
  while (plain.growth_for(hash_of(i), 20) == Directory::Growth::none)
    plain.insert(hash_of(i++), 20, {0, 0}, nullptr);
  CHECK(i == 145);
  CHECK(plain.growth_for(hash_of(i), 20) == Directory::Growth::new_block);
  plain.insert(hash_of(i), 20, {2, 0}, nullptr);
  CHECK_FALSE(plain.indexed());
  CHECK(plain.blocks() == 2);
}
