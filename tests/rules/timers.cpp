// When does a transaction end by itself? By a handle that stops after the commit interval
// (requested) or by the journal's timer (not requested), the timer at a jiffy that follows from
// rounding to a whole second of jiffies and from the timer wheel.
//
// jiffies is a 32-bit counter that starts 300 seconds before it wraps. Whole seconds are jiffies
// since boot of 204 mod 250 at HZ 250, 704 mod 1000, 4 mod 100; the wheel fires at 56 mod 64, at
// 480 mod 512, and at 48 mod 64 or 0 mod 8.
#include <string>
#include <vector>

#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// The commit of one chmod that takes place `jiffy` jiffies after boot, later than the preparation.
model::FullCommitRecord idle_commit(int hz, std::int64_t jiffy, const std::string& interval = "5") {
  World w(configured({"kernel.hz=" + std::to_string(hz), "mount.commit_interval_s=" + interval}));
  w.now = 900 * kSecond;
  const FileId file = committed_file(w);
  w.now = jiffy * (kSecond / hz);
  w.chmod(file);
  w.now += 60 * kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 2);
  return p.full_commits.back();
}

}  // namespace

TEST_CASE("the journal's timer", "[rules]") {
  struct Row {
    int hz;
    std::int64_t start;  // jiffies since boot
    std::int64_t fire;
  };
  const std::vector<Row> rows = {
      {250, 250000, 251512},     // expires 251250, whole second 251454
      {250, 250204, 251768},     // expires 251454 on a whole second: the next one, 251704
      {1000, 1000000, 1006048},  // expires 1005000, whole second 1005704
      {100, 100000, 100528},     // expires 100500, whole second 100504, 504 jiffies away
      {100, 100001, 100512},     // 503 away: one level finer
  };
  for (const Row& row : rows) {
    INFO(row.hz << " Hz, jiffy " << row.start);
    const model::FullCommitRecord commit = idle_commit(row.hz, row.start);
    CHECK_FALSE(commit.requested);
    CHECK(commit.cause == model::Cause::timer);
    CHECK(commit.start == row.fire * (kSecond / row.hz));
  }
}

TEST_CASE("a longer commit interval", "[rules]") {
  // Expires at 257500, whole second 257704; 7704 jiffies away the wheel steps by 512: 120 mod 512
  // is 75000 mod 512 less a multiple of 64.
  const model::FullCommitRecord commit = idle_commit(250, 250000, "30");
  CHECK(commit.start >= 257704 * 4 * kMillisecond);
  CHECK(commit.start <= (257704 + 512) * 4 * kMillisecond);
  CHECK((commit.start / (4 * kMillisecond) + (std::int64_t{1} << 32) - 75000) % 512 == 0);
}

TEST_CASE("a handle that stops after the interval asks for the commit", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.now = 2000 * kSecond;
  w.step = 10 * kMillisecond;
  for (int i = 0; i < 1100; ++i) w.chmod(file);
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 3);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(p.full_commits[i].requested);
    CHECK(p.full_commits[i].cause == model::Cause::expired);
  }
  CHECK(p.full_commits[1].start - 2000 * kSecond == 5 * kSecond);
  // The next transaction begins with the chmod after it.
  CHECK(p.full_commits[2].start - p.full_commits[1].start == 5010 * kMillisecond);
}

TEST_CASE("between the interval's end and the timer any handle makes the commit requested",
          "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.now = 2000 * kSecond;
  w.chmod(file);
  w.now = 2005 * kSecond + kMillisecond;
  w.chmod(file);
  const model::Time last = w.now - w.step;
  w.now += kSecond;
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 2);
  CHECK(p.full_commits[1].requested);
  CHECK(p.full_commits[1].start == last);
}

TEST_CASE("fast commits do not renew the transaction", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.now = 2000 * kSecond;
  w.step = 50 * kMillisecond;
  for (int i = 1; i <= 105; ++i) {
    w.write(file, i * kBlock, kBlock);
    w.fsync(file);
  }
  const engine::Prediction p = w.finish();
  REQUIRE(p.full_commits.size() == 3);
  CHECK(p.full_commits[1].cause == model::Cause::expired);
  CHECK(p.full_commits[1].start - 2000 * kSecond >= 5 * kSecond);
  CHECK(p.full_commits[1].start - 2000 * kSecond < 5200 * kMillisecond);
  CHECK(p.ineligible == 0);
}
