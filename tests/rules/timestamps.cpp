// When does a write dirty its inode? Once a tick, and once more after somebody has looked at the
// file's times, on kernels with multigrain timestamps.
#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// Handles of overwrites A, A, B, (stat B), B, A within one tick.
std::uint32_t handles(const model::Configuration& values, bool stat) {
  World w(values);
  const FileId a = w.create("a");
  const FileId b = w.create("b");
  w.write(a, 0, kBlock);
  w.write(b, 0, kBlock);
  w.syncfs();
  w.step = 10'000;
  for (const FileId file : {a, a, b}) w.write(file, 0, kBlock);
  if (stat) w.stat(b);
  for (const FileId file : {b, a}) w.write(file, 0, kBlock);
  w.syncfs();
  w.now += kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 2);
  return p.full_commits.back().handles;
}

}  // namespace

TEST_CASE("overwrites within a tick dirty an inode once", "[rules]") {
  CHECK(handles(without_fast_commit(), false) == 2);
}

TEST_CASE("a stat makes the next overwrites count, of every file in the tick", "[rules]") {
  CHECK(handles(without_fast_commit(), true) == 4);
  CHECK(handles(without_fast_commit({}, "6.12"), true) == 2);  // coarse times only
}

TEST_CASE("overwrites a tick apart each dirty the inode", "[rules]") {
  for (const int hz : {100, 250, 1000}) {
    World w(without_fast_commit({"kernel.hz=" + std::to_string(hz)}));
    const FileId file = committed_file(w);
    w.step = kSecond / hz;
    w.now = 2000 * kSecond;
    for (int i = 0; i < 20; ++i) w.write(file, 0, kBlock);
    w.step = kSecond;
    w.syncfs();
    CHECK(w.finish().full_commits.back().handles == 20);
  }
}

TEST_CASE("chmod and utime count within a tick too", "[rules]") {
  World w(without_fast_commit());
  const FileId file = committed_file(w);
  w.step = 1000;
  for (int i = 0; i < 5; ++i) w.chmod(file);
  w.step = kSecond;
  w.syncfs();
  CHECK(w.finish().full_commits.back().handles == 5);
}
