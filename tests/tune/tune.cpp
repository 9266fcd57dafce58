// Are the recommendations the smallest that are as good, and do the formulas hold?
#include "sim/questions/tune/tune.h"

#include "model/common/error.h"
#include "sim/report/tune_report.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

questions::tune::Tuning tune(const std::string& name, const std::string& profile = "",
                             std::vector<std::string> settings = {}) {
  questions::tune::TuneRequest request;
  request.common.inputs = {bundle(name)};
  request.common.threads = 2;
  request.configuration = configured();
  request.configuration.profile = profile;
  request.configuration.settings = std::move(settings);
  return questions::tune::tune(request);
}

const questions::tune::TunePoint& point(const std::vector<questions::tune::TunePoint>& points,
                                        std::uint64_t value) {
  for (const questions::tune::TunePoint& point : points)
    if (point.value == value) return point;
  throw std::runtime_error("no such point");
}

}  // namespace

TEST_CASE("the area that is never full, and not one block more", "[tune]") {
  const questions::tune::AreaAdvice area = tune("art-fc128").area;
  CHECK(area.current == 32);
  CHECK(area.smallest == area.most_used + 1);
  CHECK(point(area.points, area.smallest).cost.area_full == 0);
  CHECK(point(area.points, area.smallest - 1).cost.area_full != 0);
  CHECK(area.nearly == 128);
  // The recording took longer than three commit intervals.
  REQUIRE(area.limits.size() == 2);
  CHECK(area.limits[0] == std::pair(model::Cause::expired, std::uint64_t{3}));
  CHECK(area.limits[1] == std::pair(model::Cause::first_commit, std::uint64_t{1}));
}

TEST_CASE("the ranges that are as good as no limit, and not one more", "[tune]") {
  const questions::tune::RangeAdvice ranges = tune("rfc-sparse-r4", "7.2-disjoint").ranges;
  CHECK(ranges.smallest == 4);
  const questions::tune::JournalCost& best = ranges.points.back().cost;
  CHECK(ranges.points.back().value == 0);
  CHECK(point(ranges.points, 4).cost.numblks == best.numblks);
  CHECK(point(ranges.points, 3).cost.numblks > best.numblks);
  CHECK(ranges.single_span.numblks == point(ranges.points, 1).cost.numblks);
  CHECK(tune("append-fsync").ranges.smallest == 1);
}

TEST_CASE("blocks of ranges: a span of a block's worth, then one more", "[tune]") {
  const model::FilesystemSettings filesystem;
  CHECK(questions::tune::fast_commit_blocks(0, filesystem) == 1);
  // 4092 bytes hold 195 ranges of 20, the inode's 168 and the tail's 12: 3900 + 180.
  CHECK(questions::tune::fast_commit_blocks(195, filesystem) == 1);
  CHECK(questions::tune::fast_commit_blocks(196, filesystem) == 2);
  CHECK(questions::tune::ranges_beyond(1, 1, filesystem) == 196);
  for (std::uint64_t blocks : {1U, 2U, 5U, 20U, 100U}) {
    const std::uint64_t ranges = questions::tune::ranges_beyond(blocks, 1, filesystem);
    CHECK(questions::tune::fast_commit_blocks(ranges, filesystem) == blocks + 1);
    CHECK(questions::tune::fast_commit_blocks(ranges - 1, filesystem) == blocks);
  }
}

TEST_CASE("device time of a commit", "[tune]") {
  model::DeviceSettings device;
  device.write_us = 10;
  device.flush_us = 100;
  device.fua_us = 50;
  device.bandwidth_mib_s = 4096 / 1.048576;  // one microsecond a block
  CHECK(engine::commit_microseconds(1, 4096, true, device) == Approx(160));
  CHECK(engine::commit_microseconds(2, 4096, true, device) == Approx(170));
  CHECK(engine::commit_microseconds(12, 4096, true, device) == Approx(180));
  CHECK(engine::commit_microseconds(12, 4096, false, device) == Approx(30));
}

TEST_CASE("the pairs of the break-even are the trace's own commits", "[tune]") {
  const questions::tune::BreakEven even = tune("rfc-sparse-r4", "7.2-disjoint").break_even;
  CHECK(even.pairs != 0);
  std::uint64_t pairs = 0;
  std::uint64_t full = 0;
  for (const questions::tune::PairedCommits& group : even.groups) {
    pairs += group.count;
    full += group.full_blocks;
  }
  CHECK(pairs == even.pairs);
  CHECK(full == even.full_blocks);
  CHECK(even.snapshot_cap == 2048);
  REQUIRE(even.ranges);
  const model::FilesystemSettings filesystem;
  CHECK(questions::tune::fast_commit_blocks(*even.ranges, filesystem) * even.pairs >
        even.full_blocks);
  CHECK(questions::tune::fast_commit_blocks(*even.ranges - 1, filesystem) * even.pairs <=
        even.full_blocks);
}

TEST_CASE("without fast commits there is nothing to tune", "[tune]") {
  CHECK_THROWS_AS(tune("creat", "", {"filesystem.fast_commit=false"}), model::InputError);
}

TEST_CASE("the same whatever the number of threads", "[tune]") {
  questions::tune::TuneRequest request;
  request.common.inputs = {bundle("rfc-sparse-r4")};
  request.configuration = configured();
  request.configuration.profile = "7.2";
  const std::string one = text_of(report::tune_document(questions::tune::tune(request)), {}) +
                          report::tune_json(questions::tune::tune(request));
  request.common.threads = 4;
  CHECK(one == text_of(report::tune_document(questions::tune::tune(request)), {}) +
                   report::tune_json(questions::tune::tune(request)));
}
