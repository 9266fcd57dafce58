// Do settings that share a file system get the answers of engines of their own, and are they really
// shared where nothing speaks against it?
#include <cstdlib>
#include <iostream>
#include <random>

#include "model/common/error.h"
#include "sim/engine/engine.h"
#include "sim/replay/lanes/lane_group.h"
#include "sim/replay/predict_many.h"
#include "sim/report/report.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

std::vector<configuration::LoadRequest> grid(const std::vector<std::vector<std::string>>& axes) {
  std::vector<configuration::LoadRequest> points = {configured()};
  for (const std::vector<std::string>& axis : axes) {
    std::vector<configuration::LoadRequest> longer;
    for (const configuration::LoadRequest& point : points)
      for (const std::string& setting : axis) {
        longer.push_back(point);
        longer.back().settings.push_back(setting);
      }
    points = std::move(longer);
  }
  return points;
}

const std::vector<std::string> kAreas = {
    "filesystem.fast_commit_blocks=2",   "filesystem.fast_commit_blocks=3",
    "filesystem.fast_commit_blocks=10",  "filesystem.fast_commit_blocks=64",
    "filesystem.fast_commit_blocks=128", "filesystem.fast_commit_blocks=1024"};
const std::vector<std::string> kIntervals = {
    "mount.commit_interval_s=1", "mount.commit_interval_s=5", "mount.commit_interval_s=30"};
const std::vector<std::string> kRanges = {"range_tracking.policy=single-span",
                                          "range_tracking.policy=disjoint",
                                          "range_tracking.policy=unlimited"};

const std::vector<std::string> kFewAreas = {"filesystem.fast_commit_blocks=2",
                                            "filesystem.fast_commit_blocks=10",
                                            "filesystem.fast_commit_blocks=1024"};
const std::vector<std::string> kFewIntervals = {"mount.commit_interval_s=1",
                                                "mount.commit_interval_s=30"};
const std::vector<std::string> kFewRanges = {"range_tracking.policy=single-span",
                                             "range_tracking.policy=disjoint"};

replay::PredictManyRequest request(const std::string& input,
                                   const std::vector<std::vector<std::string>>& axes) {
  replay::PredictManyRequest many;
  many.inputs = {input};
  many.configurations = grid(axes);
  many.threads = 2;
  return many;
}

replay::lanes::LaneStatistics check(const std::string& input,
                                    const std::vector<std::vector<std::string>>& axes) {
  INFO(input);
  replay::PredictManyRequest many = request(input, axes);
  const replay::Predictions shared = replay::predict_many(many);
  many.lanes = false;
  const replay::Predictions alone = replay::predict_many(many);
  REQUIRE(shared.outcomes.size() == alone.outcomes.size());
  for (std::size_t i = 0; i < shared.outcomes.size(); ++i) {
    const replay::Outcome& one = shared.outcomes[i];
    const replay::Outcome& other = alone.outcomes[i];
    REQUIRE((one.error != nullptr) == (other.error != nullptr));
    if (one.error != nullptr) {
      CHECK(replay::message_of(one.error) == replay::message_of(other.error));
      continue;
    }
    std::string settings;
    for (const std::string& setting : many.configurations[i].settings) settings += setting + " ";
    INFO(settings);
    CHECK(report::json_report(one.configuration, one.prediction) ==
          report::json_report(other.configuration, other.prediction));
  }
  if (std::getenv("FCSIM_LANE_STATISTICS") != nullptr) {
    const replay::lanes::LaneStatistics& s = shared.lanes;
    std::cerr << input << ": lanes " << s.lanes << " passed_over " << s.passed_over << " awakened "
              << s.awakened;
    for (std::size_t i = 0; i < replay::lanes::kDivergences; ++i)
      if (s.diverged[i] != 0)
        std::cerr << ' ' << replay::lanes::kDivergenceNames[i] << ' ' << s.diverged[i];
    std::cerr << '\n';
  }
  return shared.lanes;
}

// Calls of `processes` on a few files, at random: what lanes pass over, wake for, and fall out of.
std::vector<model::Operation> random_calls(std::uint32_t seed, int processes) {
  using enum model::OperationKind;
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<model::Operation> calls;
  std::vector<bool> exists(12, false);
  model::Time now = 1'800'000'000'000'000'000;
  const auto add = [&](model::OperationKind kind, model::FileId file) -> model::Operation& {
    model::Operation& call = calls.emplace_back();
    call.kind = kind;
    call.file = file;
    call.parent = model::kRootDirectory;
    call.name_length = 8;
    call.name_hash = file * 7919 + 1;
    call.line = calls.size();
    call.pid = 100 + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(processes)));
    call.start = now;
    const bool waits = kind == fsync || kind == fdatasync || kind == sync;
    call.end = now + (waits ? 300'000 + below(900'000) : 10'000 + below(50'000));
    now = processes == 1 ? call.end + 5'000 + below(100'000) : now + 5'000 + below(400'000);
    if (below(400) == 0) now += model::Time{below(7000)} * 1'000'000;
    return call;
  };
  for (int i = 0; i < 3000; ++i) {
    const model::FileId file = 1 + below(11);
    if (!exists[file]) {
      exists[file] = true;
      add(create, file);
      add(open, file).flags = model::operation_flag::for_write | model::operation_flag::created;
      continue;
    }
    switch (below(24)) {
      case 0: {
        model::Operation& call = add(truncate, file);
        call.length = below(20) * 4096;
        break;
      }
      case 1:
        if (below(40) != 0) break;
        add(unlink, file);
        add(release, file).flags = model::operation_flag::for_write;
        add(evict, file);
        exists[file] = false;
        break;
      case 2:
        add(set_attributes, file);
        break;
      case 3:
        if (below(12) == 0) add(set_xattr, file).length = 20;
        break;
      case 4:
        if (below(30) == 0) add(sync, model::kNoFile);
        break;
      case 5:
        if (below(10) == 0) add(fsync, model::kRootDirectory);
        break;
      case 6:
      case 7:
      case 8:
      case 9:
        add(fdatasync, file);
        break;
      case 10:
      case 11:
      case 12:
        add(fsync, file);
        break;
      default: {
        model::Operation& call = add(write, file);
        call.offset = std::int64_t{below(200)} * 4096;
        call.length = (1 + below(3)) * 4096;
        break;
      }
    }
  }
  return calls;
}

std::string counters(const engine::Prediction& p) {
  std::string text;
  for (const std::uint64_t n : {p.commits,
                                p.ineligible,
                                p.numblks,
                                p.transactions,
                                p.requested,
                                p.blocks,
                                p.blocks_logged,
                                p.handles,
                                p.skipped,
                                p.failed,
                                p.directory_fsyncs,
                                p.operations,
                                p.sync_calls.fsync,
                                p.sync_calls.fdatasync,
                                p.snapshot.inodes,
                                p.snapshot.ranges,
                                p.snapshot.ranges_cap,
                                p.tracker_memory.inodes,
                                p.tracker_memory.bytes,
                                p.tracker_memory.most})
    text += std::to_string(n) + " ";
  for (const std::uint64_t n : p.causes) text += std::to_string(n) + " ";
  for (const auto& [name, n] : p.reasons) text += std::to_string(n) + " ";
  return text;
}

replay::lanes::LaneStatistics check_random(std::uint32_t seed, int processes) {
  INFO("seed " << seed << ", processes " << processes);
  const std::vector<model::Operation> calls = random_calls(seed, processes);
  std::vector<model::Configuration> points;
  for (const char* profile : {"6.18", "7.2-disjoint"}) {
    configuration::LoadRequest request = configured();
    request.profile = profile;
    const model::Configuration loaded = configuration::load(request).values;
    for (const std::uint32_t area : {2U, 5U, 64U, 2048U})
      for (const std::int64_t interval : {1, 5})
        for (const std::uint32_t limit : {1U, 2U, 16U}) {
          model::Configuration& point = points.emplace_back(loaded);
          point.filesystem.features = {"has_journal", "fast_commit", "extent",
                                       "flex_bg",     "64bit",       "metadata_csum"};
          point.filesystem.fast_commit_blocks = area;
          point.mount.commit_interval_s = interval;
          point.kernel.range_tracking.max_ranges = limit;
        }
  }
  replay::lanes::LaneStatistics all;
  const std::size_t half = points.size() / 2;  // the two profiles may differ in more
  for (const std::size_t from : {std::size_t{0}, half}) {
    std::vector<const model::Configuration*> lanes;
    for (std::size_t i = from; i < from + half; ++i) lanes.push_back(&points[i]);
    replay::lanes::LaneGroup group(lanes, {}, {});
    for (const model::Operation& call : calls) group.replay(call);
    const model::Time end = calls.back().end + 1'000'000'000;
    const auto shared = group.finish(end);
    for (std::size_t i = 0; i < half; ++i) {
      if (!shared[i]) continue;
      engine::Engine engine(*lanes[i], {}, {});
      for (const model::Operation& call : calls) engine.replay(call);
      CHECK(counters(*shared[i]) == counters(engine.finish(end)));
    }
    all.add(group.statistics());
  }
  return all;
}

}  // namespace

TEST_CASE("lanes agree with engines of their own on random calls", "[lanes]") {
  replay::lanes::LaneStatistics all;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    all.add(check_random(seed, 1));
    all.add(check_random(seed, 3));
  }
  CHECK(all.passed_over > 10'000);
  CHECK(all.awakened > 1'000);
}

TEST_CASE("nothing keeps the lanes of a lone log apart", "[lanes]") {
  for (const char* name : {"append-fsync", "append-fdatasync", "creat", "rfc-sparse-r4"}) {
    const replay::lanes::LaneStatistics statistics =
        check(bundle(name), {kAreas, kIntervals, kRanges});
    CHECK(statistics.lanes > 30);
    CHECK(statistics.all_diverged() == 0);
    CHECK(statistics.passed_over > 1'000);
  }
}

TEST_CASE("areas that mke2fs makes in addition to the log are lanes too", "[lanes]") {
  const replay::lanes::LaneStatistics statistics = check(
      bundle("append-fsync"), {{"filesystem.fast_commit_kib=64", "filesystem.fast_commit_kib=512",
                                "filesystem.fast_commit_kib=4096"},
                               kIntervals});
  CHECK(statistics.lanes == 9);
  CHECK(statistics.all_diverged() == 0);
}

TEST_CASE("lanes agree with engines of their own on every bundle", "[lanes]") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles"))
    check(entry.path().string(), {kFewAreas, kFewIntervals, kFewRanges});
}

TEST_CASE("lanes agree with engines of their own on the corpus", "[lanes][corpus]") {
  const std::filesystem::path corpus = std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus";
  if (!std::filesystem::exists(corpus)) {
    WARN("skipped: there is no corpus beside the repository");
    return;
  }
  // Small traces only, unless all are asked for.
  const bool all = std::getenv("FCSIM_WHOLE_CORPUS") != nullptr;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().filename() != "env.toml") continue;
    std::uintmax_t size = 0;
    for (const auto& file : std::filesystem::directory_iterator(entry.path().parent_path()))
      size += file.is_regular_file() ? file.file_size() : 0;
    if (!all && size > 60'000) continue;
    check(entry.path().parent_path().string(), {kFewAreas, kFewIntervals});
  }
}
