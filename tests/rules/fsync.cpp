// Which fsyncs become fast commits, which full ones, and which nothing at all?
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

model::Configuration with_area(std::uint32_t blocks) {
  model::Configuration values = configured();
  values.filesystem.fast_commit_blocks = blocks;
  values.filesystem.journal_blocks = 8192 + blocks;
  return values;
}

Counters append_and_fsync(const model::Configuration& values, int times) {
  World w(values);
  const FileId file = committed_file(w);
  for (int i = 1; i <= times; ++i) {
    w.write(file, i * kBlock, kBlock);
    w.fsync(file);
  }
  return counters_of(w.finish());
}

}  // namespace

TEST_CASE("an area of N blocks takes N-1 of them in a transaction", "[rules]") {
  // The first transaction is the syncfs of the preparation.
  CHECK(append_and_fsync(with_area(4), 12) == Counters{9, 3, 9, 4, 4});
  CHECK(append_and_fsync(with_area(2), 12) == Counters{6, 6, 6, 7, 7});
  CHECK(append_and_fsync(with_area(1), 12) == Counters{0, 12, 0, 13, 13});
  CHECK(append_and_fsync(with_area(128), 12) == Counters{12, 0, 12, 1, 1});
  CHECK(append_and_fsync(with_area(128), 128) == Counters{127, 1, 127, 2, 2});
}

TEST_CASE("an area of 0 blocks on disk is one of 256 out of the log", "[rules]") {
  model::Configuration values = with_area(0);
  CHECK(append_and_fsync(values, 255) == Counters{255, 0, 255, 1, 1});
  CHECK(append_and_fsync(values, 256) == Counters{255, 1, 255, 2, 2});
  World w(values);
  CHECK(w.finish().max_transaction_blocks == 2645);
}

TEST_CASE("the first commit since the mount is a full one", "[rules]") {
  World w(configured());
  const FileId file = w.create("file");
  w.write(file, 0, kBlock);
  w.fsync(file);
  w.write(file, kBlock, kBlock);
  w.fsync(file);
  CHECK(counters_of(w.finish()) == Counters{1, 1, 1, 1, 1});
}

TEST_CASE("fsync of a clean file right after the mount is ineligible without a transaction",
          "[rules]") {
  World w(configured());
  Operation appear;
  appear.kind = OperationKind::appear;
  appear.file = 1000;
  appear.parent = kRoot;
  appear.length = kBlock;
  w.apply(appear);
  w.fsync(1000);
  w.fsync(1000);
  CHECK(counters_of(w.finish()) == Counters{0, 2, 0, 0, 0});
}

TEST_CASE("fsync of what is committed is skipped, of an open transaction a commit of a TAIL",
          "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.fsync(file);  // committed by the syncfs
  w.chmod(file);
  w.fsync(file);
  w.fsync(file);  // nothing new, but its transaction is open
  const engine::Prediction p = w.finish();
  CHECK(counters_of(p) == Counters{2, 0, 2, 1, 1});
  CHECK(p.skipped == 1);
  REQUIRE(logs_of(p).size() == 2);
  CHECK(logs_of(p)[0].inodes == 1);
  CHECK(logs_of(p)[1].inodes == 0);
}

TEST_CASE("fdatasync of an overwrite is skipped once its allocation is committed", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.write(file, 0, kBlock);
  w.fdatasync(file);  // the last allocation lies after the syncfs
  w.write(file, kBlock, kBlock);
  w.fdatasync(file);  // an append
  w.write(file, 0, kBlock);
  w.fdatasync(file);  // an overwrite, while the transaction of the append is open
  const engine::Prediction p = w.finish();
  CHECK(counters_of(p) == Counters{2, 0, 2, 1, 1});
  CHECK(p.skipped == 1);
}

TEST_CASE("fsync of a directory commits what runs", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.fsync(kRoot);  // nothing runs
  w.chmod(file);
  w.fsync(kRoot);  // the directory has not changed
  CHECK(counters_of(w.finish()) == Counters{0, 0, 0, 2, 2});
}

// A rule that the profiles of 6.1 and later do not have: their directories were measured to commit
// what runs.
TEST_CASE("a directory may be asked for its own transaction", "[rules]") {
  const std::vector<std::string> own = {"fast_commit.directory_fsync=own-tid"};
  World w(configured(own));
  const FileId file = committed_file(w);
  w.chmod(file);
  w.fsync(kRoot);
  CHECK(counters_of(w.finish()) == Counters{0, 0, 0, 1, 1});
  World v(configured(own));
  committed_file(v);
  v.create("new");
  v.fsync(kRoot);
  CHECK(counters_of(v.finish()) == Counters{1, 0, 1, 1, 1});
}

TEST_CASE("a fast commit logs every changed file, not only its own", "[rules]") {
  World w(configured());
  const FileId a = w.create("a");
  const FileId b = w.create("b");
  w.syncfs();
  w.chmod(a);
  w.chmod(b);
  w.fsync(a);
  w.fsync(b);  // logged already: TAIL only
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 2);
  CHECK(logs[0].inodes == 2);
  CHECK(logs[1].inodes == 0);
}

// What stands in the table as measured on 6.18 without fast commit: does fdatasync commit, does
// fsync?
TEST_CASE("what makes fdatasync and fsync commit", "[rules]") {
  struct Row {
    std::string name;
    std::function<void(World&, FileId)> change;
    int fdatasync;
    int fsync;
  };
  const auto none = [](World&, FileId) {};
  const std::vector<Row> rows = {
      {"nothing", none, 0, 0},
      {"overwrite in a new tick", [](World& w, FileId f) { w.write(f, 0, kBlock); }, 0, 1},
      {"overwrite through a mapping, msync", [](World& w, FileId f) { w.msync(f, 0, kBlock); }, 0,
       1},
      {"append of a block", [](World& w, FileId f) { w.write(f, 8 * kBlock, kBlock); }, 1, 1},
      {"write into unwritten blocks", [](World& w, FileId f) { w.write(f, 4 * kBlock, kBlock); }, 1,
       1},
      {"fallocate", [](World& w, FileId f) { w.fallocate(f, 8 * kBlock, kMiB); }, 1, 1},
      {"fallocate of what is allocated", [](World& w, FileId f) { w.fallocate(f, 0, kBlock); }, 1,
       1},
      {"punch over blocks", [](World& w, FileId f) { w.fallocate(f, kBlock, kBlock, 3); }, 1, 1},
      {"punch over a hole", [](World& w, FileId f) { w.fallocate(f, 6 * kBlock, kBlock, 3); }, 0,
       1},
      {"write into a hole", [](World& w, FileId f) { w.write(f, 6 * kBlock, kBlock); }, 1, 1},
      {"truncate to another size", [](World& w, FileId f) { w.truncate(f, kBlock); }, 1, 1},
      {"truncate to the same size", [](World& w, FileId f) { w.truncate(f, 8 * kBlock); }, 0, 1},
      {"chmod", [](World& w, FileId f) { w.chmod(f); }, 0, 1},
      {"chown", [](World& w, FileId f) { w.chown(f, 7); }, 0, 1},
      {"utime", [](World& w, FileId f) { w.utime(f); }, 0, 1},
      {"setxattr", [](World& w, FileId f) { w.set_xattr(f, "user.a", 5, 1); }, 0, 1},
      {"link", [](World& w, FileId f) { w.link(f, "other"); }, 0, 1},
      {"rename", [](World& w, FileId f) { w.rename(f, "file", kRoot, "renamed", kRoot); }, 0, 1},
      {"read that moves atime", [](World& w, FileId f) { w.read(f); }, 0, 1},
      {"another file changed", [](World& w, FileId f) { w.create("new" + std::to_string(f)); }, 0,
       0},
      {"committed by another file's fsync",
       [](World& w, FileId f) {
         const FileId other = w.create("new");
         w.chmod(f);
         w.fsync(other);
       },
       1, 1},  // the other's, and none of its own
  };
  for (const Row& row : rows) {
    for (const bool datasync : {true, false}) {
      DYNAMIC_SECTION(row.name << (datasync ? ", fdatasync" : ", fsync")) {
        World w(without_fast_commit());
        const FileId file = w.create("file");
        w.write(file, 0, 2 * kBlock);
        w.fallocate(file, 4 * kBlock, kBlock);
        w.truncate(file, 8 * kBlock);
        w.syncfs();
        row.change(w, file);
        datasync ? w.fdatasync(file) : w.fsync(file);
        datasync ? w.fdatasync(file) : w.fsync(file);  // nothing more
        const int commits = static_cast<int>(w.finish().transactions) - 1;
        CHECK(commits == (datasync ? row.fdatasync : row.fsync));
      }
    }
  }
}

TEST_CASE("an append inside the last block makes fdatasync commit", "[rules]") {
  World w(without_fast_commit());
  const FileId file = committed_file(w, 100);
  w.write(file, 100, 1);
  w.fdatasync(file);
  CHECK(w.finish().transactions == 2);
}

TEST_CASE("reading an inode in during a transaction makes its first fsync commit it", "[rules]") {
  World w(without_fast_commit());
  const FileId clean = w.create("clean");
  w.close(clean);
  const FileId other = committed_file(w);
  w.apply(OperationKind::drop_caches, model::kNoFile);
  w.chmod(other);
  w.open(clean, 0);
  w.fdatasync(clean);
  CHECK(w.finish().transactions == 2);
}
