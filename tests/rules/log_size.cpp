// What does one fast commit write? Blocks and records of few operations, the numbers those of the
// decoded logs (4 KiB blocks, names of 2 bytes unless said).
#include <string>
#include <vector>

#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

constexpr std::uint64_t kPunch = 3;

std::string two_letters(int i) {
  return {static_cast<char>('a' + i / 26), static_cast<char>('a' + i % 26)};
}

// Blocks of the first fast commit of a transaction, HEAD included, after chmod of `count` files.
std::uint32_t blocks_of_inodes(const model::Configuration& values, int count) {
  World w(values);
  std::vector<FileId> files;
  for (int i = 0; i < count; ++i) files.push_back(w.create(two_letters(i)));
  w.syncfs();
  for (const FileId file : files) w.chmod(file);
  w.fsync(files[0]);
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].inodes == static_cast<std::uint32_t>(count));
  return logs[0].blocks;
}

// The log of the second fast commit of a transaction, which has no HEAD: of `changes` alone.
template <typename Changes>
model::FastCommitRecord log_without_head(const Changes& changes, std::int64_t bytes = kBlock) {
  World w(configured());
  const FileId file = committed_file(w, bytes);
  w.chmod(file);
  w.fsync(file);
  changes(w, file);
  const FileId other = file;
  w.fsync(other);
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 2);
  return logs[1];
}

std::uint32_t blocks_of_creates(int count) {
  return log_without_head([count](World& w, FileId) {
           for (int i = 0; i < count; ++i) w.create(two_letters(i));
         })
      .blocks;
}

}  // namespace

TEST_CASE("worked examples of packing", "[rules]") {
  CHECK(log_without_head([](World&, FileId) {}).blocks == 1);
  const auto overwrite = log_without_head([](World& w, FileId f) { w.write(f, 0, kBlock); });
  CHECK(overwrite.blocks == 1);
  CHECK(overwrite.inodes == 1);
  CHECK(overwrite.ranges == 0);
  const auto append = log_without_head([](World& w, FileId f) { w.write(f, kBlock, kBlock); });
  CHECK(append.blocks == 1);
  CHECK(append.ranges == 1);
  CHECK(blocks_of_creates(11) == 1);
  CHECK(blocks_of_creates(12) == 2);
  CHECK(blocks_of_creates(30) == 3);
}

// R isolated blocks are one span with R-1 holes: 20 R + 16 (R-1) + 168 bytes and TAIL.
TEST_CASE("a span of isolated blocks", "[rules]") {
  const auto blocks = [](int isolated) {
    World w(configured());
    const FileId file = committed_file(w, 0);
    w.truncate(file, 64 * kMiB);
    w.syncfs();
    w.chmod(file);
    w.fsync(file);
    w.step = 1000;
    for (int i = 0; i < isolated; ++i) w.write(file, 2 * i * kBlock, kBlock);
    w.fsync(file);
    w.now += kSecond;
    const auto logs = logs_of(w.finish());
    REQUIRE(logs.size() == 2);
    CHECK(logs[1].ranges == static_cast<std::uint32_t>(2 * isolated - 1));
    return logs[1].blocks;
  };
  CHECK(blocks(100) == 1);
  CHECK(blocks(109) == 1);
  CHECK(blocks(110) == 2);
  CHECK(blocks(1024) == 10);
}

// A block takes (4096 - 4 - 12 - 12) / record inodes beside HEAD and TAIL.
TEST_CASE("an INODE record is 8 bytes and the raw inode", "[rules]") {
  model::Configuration values = configured();
  CHECK(blocks_of_inodes(values, 24) == 1);  // 168 bytes
  CHECK(blocks_of_inodes(values, 25) == 2);
  values.filesystem.inode_size = 512;  // no longer: 128 and the extra fields in use
  CHECK(blocks_of_inodes(values, 24) == 1);
  CHECK(blocks_of_inodes(values, 25) == 2);
  values.filesystem.inode_size = 128;  // 136 bytes
  values.filesystem.extra_isize = 0;
  CHECK(blocks_of_inodes(values, 29) == 1);
  CHECK(blocks_of_inodes(values, 30) == 2);
  values = configured();
  values.filesystem.features.emplace_back("inline_data");  // all 256 bytes
  CHECK(blocks_of_inodes(values, 15) == 1);
  CHECK(blocks_of_inodes(values, 16) == 2);
}

TEST_CASE("a created file is two INODE records, a created directory one", "[rules]") {
  const auto file = log_without_head([](World& w, FileId) { w.create("ab"); });
  CHECK(file.names == 1);
  CHECK(file.inodes == 1);  // in the inode queue, besides that with its name
  const auto directory = log_without_head([](World& w, FileId) { w.make_directory("ab"); });
  CHECK(directory.names == 1);
  CHECK(directory.inodes == 0);
}

TEST_CASE("names: a rename is two, over a file three", "[rules]") {
  constexpr FileId root = model::kRootDirectory;
  CHECK(log_without_head([](World& w, FileId f) { w.rename(f, "file", root, "ab", root); }).names ==
        2);
  CHECK(log_without_head([](World& w, FileId f) { w.link(f, "ab"); }).names == 1);
  World w(configured());
  const FileId a = w.create("aa");
  const FileId b = w.create("bb");
  w.syncfs();
  w.rename(a, "aa", root, "bb", root, b);
  w.fsync(a);
  REQUIRE(logs_of(w.finish()).size() == 1);
  World v(configured());
  const FileId c = v.create("aa");
  const FileId d = v.create("bb");
  v.syncfs();
  v.rename(c, "aa", root, "bb", root, d);
  v.fsync(c);
  CHECK(logs_of(v.finish())[0].names == 3);
}

TEST_CASE("of a file made and unlinked only the UNLINK is logged", "[rules]") {
  const auto log = log_without_head([](World& w, FileId) {
    const FileId fresh = w.create("ab");
    w.close(fresh);
    w.unlink(fresh, "ab");
  });
  CHECK(log.names == 1);
  CHECK(log.inodes == 0);
}

TEST_CASE("a temporary file that is linked is logged by LINK", "[rules]") {
  const auto log = log_without_head([](World& w, FileId) { w.link(w.make_tmpfile(), "ab"); });
  CHECK(log.names == 1);
  CHECK(log.inodes == 1);
}

TEST_CASE("changes of a directory's attributes are not logged", "[rules]") {
  World w(configured());
  const FileId directory = w.make_directory("directory");
  const FileId file = committed_file(w);
  w.chmod(file);
  w.chmod(directory);
  w.fsync(file);
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].inodes == 1);
  CHECK(logs[0].names == 0);
}

// The span reaches to block 2^32 - 2 and a look-up is at most 2^31 - 1 blocks.
TEST_CASE("a truncation is logged to the end of the block numbers", "[rules]") {
  const auto cut = [](std::int64_t size) {
    return log_without_head([size](World& w, FileId f) { w.truncate(f, size); }, 1000 * kBlock);
  };
  CHECK(cut(600 * kBlock).ranges == 3);  // the last block kept, two deletions
  CHECK(cut(0).ranges == 3);             // 2^31 - 1, 2^31 - 1 and 1 blocks deleted
  const auto up = log_without_head([](World& w, FileId f) { w.truncate(f, 10 * kBlock); });
  CHECK(up.ranges == 2);  // the block of the old end and the hole after it
  const auto same = log_without_head([](World& w, FileId f) { w.truncate(f, kBlock); });
  CHECK(same.ranges == 0);
  CHECK(same.inodes == 1);
}

TEST_CASE("a punch logs one block more than it frees", "[rules]") {
  const auto log = log_without_head(
      [](World& w, FileId f) { w.fallocate(f, 10 * kBlock, 2 * kBlock, kPunch); }, 1000 * kBlock);
  CHECK(log.ranges == 2);  // the hole, and the block after it
}

TEST_CASE("a punch inside a block stretches an existing span and is nothing alone", "[rules]") {
  const auto inside = [](World& w, FileId f) { w.fallocate(f, 500 * kBlock + 100, 200, kPunch); };
  World w(configured());
  const FileId file = committed_file(w, 1000 * kBlock);
  w.fallocate(file, 300 * kBlock, kBlock, kPunch);
  w.syncfs();
  inside(w, file);
  w.fsync(file);  // no range
  w.fallocate(file, 10 * kBlock, kBlock, kPunch);
  inside(w, file);
  w.fsync(file);  // hole, blocks, hole, blocks up to 500
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 2);
  CHECK(logs[0].ranges == 0);
  CHECK(logs[1].ranges == 4);
}

TEST_CASE("a delayed block inside a span is a deletion of its own", "[rules]") {
  World w(configured());
  const FileId other = w.create("other");
  const FileId file = committed_file(w, 0);
  w.truncate(file, 11 * kBlock);
  w.syncfs();
  w.write(file, 0, kBlock, flag::direct);
  w.write(file, 10 * kBlock, kBlock, flag::direct);
  w.write(file, 5 * kBlock, kBlock);
  w.chmod(other);
  w.fsync(other);
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].ranges == 5);  // 0, 1 to 4, 5, 6 to 9, 10
}

TEST_CASE("an extent record is 32768 blocks at most, an unwritten one 32767", "[rules]") {
  const auto log =
      log_without_head([](World& w, FileId f) { w.fallocate(f, kBlock, 40000 * kBlock); });
  CHECK(log.ranges == 2);
}
