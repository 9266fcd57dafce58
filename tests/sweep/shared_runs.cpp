// Where one run answers for several settings, is that the answer of a run of their own? And is it
// asked to wherever nothing speaks against it?
#include <cstdlib>
#include <random>

#include "model/common/error.h"
#include "sim/replay/make_engine.h"
#include "sim/replay/predict_many.h"
#include "sim/report/report.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

using Axes = std::vector<std::vector<std::string>>;

std::vector<configuration::LoadRequest> grid_of(const Axes& axes) {
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
    "filesystem.fast_commit_kib=8",    "filesystem.fast_commit_kib=64",
    "filesystem.fast_commit_kib=512",  "filesystem.fast_commit_kib=4096",
    "filesystem.fast_commit_kib=8192", "filesystem.fast_commit_blocks=100"};
const std::vector<std::string> kIntervals = {"mount.commit_interval_s=1",
                                             "mount.commit_interval_s=60"};
const std::vector<std::string> kRanges = {"range_tracking.max_ranges=1",
                                          "range_tracking.max_ranges=64"};

// The runs that it took.
std::size_t check(const std::string& input, const Axes& axes) {
  INFO(input);
  replay::PredictManyRequest many;
  many.inputs = {input};
  many.configurations = grid_of(axes);
  many.threads = 2;
  const replay::Predictions shared = replay::predict_many(many);
  REQUIRE(shared.outcomes.size() == many.configurations.size());
  for (std::size_t i = 0; i < shared.outcomes.size(); ++i) {
    const std::vector<std::string>& settings = many.configurations[i].settings;
    std::string text;
    for (const std::string& setting : settings) text += setting + " ";
    INFO(text);
    const replay::Outcome& outcome = shared.outcomes[i];
    CHECK(run_json(input, settings) ==
          (outcome.error ? "error: " + replay::message_of(outcome.error)
                         : report::json_report(outcome.configuration, outcome.prediction)));
  }
  return shared.runs;
}

// Calls of `processes` on a few files, at random.
std::vector<model::Operation> random_calls(std::uint32_t seed, int processes) {
  using enum model::OperationKind;
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<model::Operation> calls;
  std::vector<bool> exists(12, false);
  model::FileId directories = 0;
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
        if (below(10) == 0 && directories < 40) {
          model::Operation& call = add(mkdir, 12 + directories++);
          call.type = model::FileType::directory;
        }
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

std::string counters_of(const engine::Prediction& prediction) {
  std::string text;
  for (const model::NamedCounter& counter : engine::named_counters(prediction))
    text += counter.full_name() + "=" + std::to_string(counter.value) + " ";
  return text;
}

model::Configuration base(const char* profile, std::uint32_t block_size) {
  configuration::LoadRequest request = configured();
  request.profile = profile;
  request.settings = {"filesystem.block_size=" + std::to_string(block_size),
                      "filesystem.block_count=131072"};
  return configuration::load(request).values;
}

// Sizes of area and log, intervals and limits on top of one file system.
std::vector<model::Configuration> settings_of(const model::Configuration& base) {
  std::vector<model::Configuration> settings;
  for (const std::uint32_t area : {2U, 64U, 2048U, 2056U})
    for (const std::uint32_t log : {1024U, 8192U, 8200U})
      for (const std::int64_t interval : {1, 300, 400})
        for (const std::uint32_t limit : {1U, 16U}) {
          model::Configuration& setting = settings.emplace_back(base);
          setting.filesystem.fast_commit_blocks = area;
          setting.filesystem.journal_blocks = area + log;
          setting.mount.commit_interval_s = interval;
          setting.kernel.range_tracking.max_ranges = limit;
          setting.kernel.snapshot.max_ranges = 4 * limit;
        }
  return settings;
}

struct Agreement {
  std::size_t shared = 0, apart = 0;  // pairs of settings
};

Agreement check_random(std::uint32_t seed, int processes, const char* profile) {
  INFO("seed " << seed << ", processes " << processes << ", " << profile);
  const std::vector<model::Operation> calls = random_calls(seed, processes);
  const std::vector<model::Configuration> settings =
      settings_of(base(profile, seed % 2 == 0 ? 1024 : 4096));
  std::vector<std::unique_ptr<engine::Engine>> engines;
  std::vector<engine::Prediction> answers;
  for (const model::Configuration& setting : settings) {
    engines.push_back(replay::make_engine(setting, {}, {}));
    for (const model::Operation& call : calls) engines.back()->replay(call);
    answers.push_back(engines.back()->finish(calls.back().end + 3'000'000'000));
  }
  Agreement agreement;
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t k = 0; k < settings.size(); ++k) {
      if (i == k) continue;
      engine::Prediction told = answers[i];
      if (!engines[i]->holds_for(settings[k], told)) {
        ++agreement.apart;
        continue;
      }
      ++agreement.shared;
      CHECK(counters_of(told) == counters_of(answers[k]));
    }
  return agreement;
}

}  // namespace

TEST_CASE("a run answers for a setting only where that would do the same", "[sweep]") {
  Agreement all;
  for (const char* profile : {"6.18", "7.2-disjoint"})
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      const Agreement one = check_random(seed, seed % 3 == 0 ? 3 : 1, profile);
      all.shared += one.shared;
      all.apart += one.apart;
    }
  CHECK(all.shared > 2'000);
  CHECK(all.apart > 2'000);
}

TEST_CASE("areas that are never full need one run", "[sweep]") {
  CHECK(
      check(bundle("creat"), {{"filesystem.fast_commit_kib=1024", "filesystem.fast_commit_kib=2048",
                               "filesystem.fast_commit_kib=4096"}}) <= 2);
}

TEST_CASE("runs are shared exactly on every bundle", "[sweep]") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles"))
    check(entry.path().string(), {kAreas});
}

TEST_CASE("runs are shared exactly on the corpus", "[shared]") {
  const std::filesystem::path corpus = std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus";
  // Small traces only, unless all are asked for.
  const bool all = std::getenv("FCSIM_WHOLE_CORPUS") != nullptr;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().filename() != "env.toml") continue;
    std::uintmax_t size = 0;
    for (const auto& file : std::filesystem::directory_iterator(entry.path().parent_path()))
      size += file.is_regular_file() ? file.file_size() : 0;
    if (!all && size > 30'000) continue;
    check(entry.path().parent_path().string(), {kAreas, kIntervals, kRanges});
  }
}
