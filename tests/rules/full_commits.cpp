// Who makes a full commit besides fsync: synchronous mounts and directories, sync and syncfs, a
// transaction that is full.
#include <string>

#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

model::Configuration mounted(bool model::MountSettings::*option) {
  model::Configuration values = configured();
  values.mount.*option = true;
  return values;
}

template <typename Changes>
Counters counters(const model::Configuration& values, const Changes& changes) {
  World w(values);
  const FileId file = committed_file(w);
  changes(w, file);
  return counters_of(w.finish());
}

}  // namespace

TEST_CASE("dirsync: each change of a directory is a commit", "[rules]") {
  const model::Configuration values = mounted(&model::MountSettings::dirsync);
  // The file of the preparation is one, its syncfs one more where data was left to write.
  const Counters before = counters(values, [](World&, FileId) {});
  const auto commits = [&](const auto& changes) {
    return counters(values, changes).transactions - before.transactions;
  };
  CHECK(commits([](World& w, FileId) { w.create("new"); }) == 1);
  CHECK(commits([](World& w, FileId) { w.make_directory("new"); }) == 1);
  CHECK(commits([](World& w, FileId f) { w.link(f, "new"); }) == 1);
  CHECK(commits([](World& w, FileId f) { w.rename(f, "file", kRoot, "new", kRoot); }) == 1);
  CHECK(commits([](World& w, FileId f) { w.unlink(f, "file", kRoot, false); }) == 1);
  CHECK(commits([](World& w, FileId f) { w.chmod(f); }) == 0);
}

TEST_CASE("sync mount: a create is a full commit, a write a fast one", "[rules]") {
  const model::Configuration values = mounted(&model::MountSettings::sync);
  const Counters before = counters(values, [](World&, FileId) {});
  const Counters after = counters(values, [](World& w, FileId) {
    const FileId file = w.create("new");
    w.write(file, 0, kBlock);
    w.fsync(file);
  });
  CHECK(after.transactions - before.transactions == 1);
  CHECK(after.commits - before.commits == 2);
  const Counters unlinked = counters(values, [](World& w, FileId f) { w.unlink(f, "file"); });
  CHECK(unlinked.transactions - before.transactions == 2);  // the name, then the file
}

TEST_CASE("sync and syncfs are one full commit, and none where nothing runs", "[rules]") {
  for (const bool all : {true, false}) {
    const auto sync = [all](World& w) { all ? w.sync() : w.syncfs(); };
    CHECK(counters(configured(), [&](World& w, FileId f) {
            w.write(f, kBlock, kBlock);
            sync(w);
            sync(w);
          }) == Counters{0, 0, 0, 2, 2});
  }
}

TEST_CASE("O_SYNC and O_DSYNC writes are fast commits", "[rules]") {
  const auto write = [](std::uint32_t flags, std::int64_t offset) {
    return [=](World& w, FileId f) { w.write(f, offset, kBlock, flags); };
  };
  CHECK(counters(configured(), write(flag::sync, kBlock)) == Counters{1, 0, 1, 1, 1});
  CHECK(counters(configured(), write(flag::dsync, kBlock)) == Counters{1, 0, 1, 1, 1});
  CHECK(counters(configured(), write(flag::sync, 0)) == Counters{1, 0, 1, 1, 1});
  CHECK(counters(configured(), write(flag::dsync, 0)) == Counters{0, 0, 0, 1, 1});  // overwrite
}

// Overhead 12 and 47 credits for a mkdir: closed when more than 2730 - 12 - 47 blocks are there,
// each mkdir adding one or two; measured three times.
TEST_CASE("a transaction closes when the next handle does not fit", "[rules]") {
  World w(without_fast_commit());
  const FileId parent = w.make_directory("parent");
  w.syncfs();
  w.step = 1000;
  for (int i = 0; i < 2800; ++i) w.make_directory(std::to_string(i), parent);
  w.now += kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() >= 2);
  const model::FullCommitRecord& full = p.full_commits[1];
  CHECK(full.cause == model::Cause::transaction_full);
  CHECK(full.requested);
  CHECK(full.blocks == 2672);
  CHECK(full.blocks_logged == 2684);
}

TEST_CASE("6.1 closes it at a quarter of the log", "[rules]") {
  World w(without_fast_commit({}, "6.1"));
  w.step = 1000;
  const FileId parent = w.make_directory("parent");
  for (int i = 0; i < 2100; ++i) w.make_directory(std::to_string(i), parent);
  w.now += kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE_FALSE(p.full_commits.empty());
  CHECK(p.max_transaction_blocks == 2048);
  CHECK(p.full_commits[0].cause == model::Cause::transaction_full);
}

TEST_CASE("files opened first write the mount path once", "[rules]") {
  World w(without_fast_commit());
  w.create("a");
  w.syncfs();
  w.create("b");
  w.syncfs();
  w.now += kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 2);
  CHECK(p.full_commits[0].blocks == 5);
  CHECK(p.full_commits[1].blocks == 4);
}
