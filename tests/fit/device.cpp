// Are the times of a device found again in a trace whose durations were made from them?
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "model/common/error.h"
#include "sim/questions/fit/fit.h"
#include "sim/report/fit_report.h"
#include "tests/catch.h"
#include "tests/fit/noise.h"
#include "tests/sweep/helper.h"
#include "tests/workload/helper.h"

using namespace fcsim;

namespace {

struct Device {
  double write_us, flush_us, fua_us, block_us;
};

constexpr Device kDisk = {60, 500, 180, 4.5};
constexpr int kRounds = 400;
constexpr int kOverhead = 12;  // microseconds

struct Recipe {
  bool again = true;     // most fsyncs are called again: after a full commit that is a flush alone
  bool barrier = true;   // the mount option
  double noise_us = 0;   // standard deviation
  int wild_percent = 0;  // of fsyncs that take 30 times as long
  bool durations = true;
};

// Of one round. Not always as many, or the area would always be full at the same one of them.
int fsyncs_of(const Recipe& recipe, int round) {
  return recipe.again ? 1 + round % 3 : 1;
}

// One line of the trace; `us` < 0: without a duration.
std::string line(std::int64_t& clock_us, const std::string& call, std::int64_t us, bool shown) {
  const auto seconds = [](std::int64_t t) {
    std::string fraction = std::to_string(t % 1000000);
    fraction.insert(0, 6 - fraction.size(), '0');
    return std::to_string(t / 1000000) + "." + fraction;
  };
  std::string text = "1000 " + seconds(1800000000000000 + clock_us) + " " + call;
  if (shown) text += " <" + seconds(us) + ">";
  clock_us += us + 30;
  return text + "\n";
}

using Durations = std::map<std::uint64_t, std::int64_t>;  // of fsyncs, by line

// Runs of blocks scattered over a file, an fsync after each few of them.
std::string trace_of(const Recipe& recipe, const Durations& durations) {
  std::int64_t clock = 0;
  std::string text;
  std::uint64_t number = 0;
  const auto add = [&](const std::string& call, std::int64_t us) {
    ++number;
    const auto known = durations.find(number);
    text += line(clock, call, known == durations.end() ? us : known->second, recipe.durations);
  };
  const std::string fd = "3</mnt/append-fsync/data>";
  add("openat(AT_FDCWD</mnt/append-fsync>, \"data\", O_RDWR|O_CREAT, 0644) = " + fd, 40);
  std::int64_t block = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int blocks = 1 + round * 7 % 32;
    for (int run = 0; run <= round % 5; ++run, block += blocks + 3)
      add("pwrite64(" + fd + ", \"x\"..., " + std::to_string(blocks * 4096) + ", " +
              std::to_string(block * 4096) + ") = " + std::to_string(blocks * 4096),
          20);
    for (int again = 0; again < fsyncs_of(recipe, round); ++again)
      add("fsync(" + fd + ") = 0", 700);
    add("lseek(" + fd + ", 0, SEEK_CUR) = 0", kOverhead);
  }
  return text;
}

std::vector<std::string> settings_of(const Recipe& recipe) {
  std::vector<std::string> settings = {"mount.commit_interval_s=100000"};
  if (!recipe.barrier) settings.emplace_back("mount.barrier=false");
  return settings;
}

void write_trace(const std::string& folder, const std::string& text) {
  std::ofstream(folder + "/trace.strace", std::ios::binary | std::ios::trunc) << text;
}

// What each fsync takes on the device, reckoned apart from sim/fit: the commits as predicted, the
// data as trace_of() writes it.
Durations reckon(const std::string& folder, const Recipe& recipe, const Device& device) {
  replay::SessionRequest request;
  request.inputs = {folder};
  request.configuration = test::configured();
  request.configuration.settings = settings_of(recipe);
  request.keep_commits = true;
  const engine::Prediction prediction = replay::predict(request).prediction;
  std::map<std::uint64_t, std::uint64_t> commits;  // blocks by line
  for (const model::FastCommitRecord& record : prediction.fast_commits)
    if (record.outcome == model::Outcome::ok) commits[record.origin.line] = record.blocks;
  for (const model::FullCommitRecord& record : prediction.full_commits)
    commits[record.origin.line] = record.blocks_logged;

  std::mt19937_64 random(3);
  Durations durations;
  std::uint64_t number = 1;
  for (int round = 0; round < kRounds; ++round) {
    const int blocks = 1 + round * 7 % 32;
    const int runs = 1 + round % 5;
    number += static_cast<std::uint64_t>(runs);
    for (int again = 0; again < fsyncs_of(recipe, round); ++again) {
      ++number;
      double us = again == 0 ? runs * (device.write_us + (blocks - 1) * device.block_us) : 0;
      const auto commit = commits.find(number);
      if (commit != commits.end()) {
        us += device.write_us;
        if (commit->second > 1)
          us += device.write_us + static_cast<double>(commit->second - 2) * device.block_us;
      }
      if (recipe.barrier) us += device.flush_us + (commit == commits.end() ? 0 : device.fua_us);
      us += recipe.noise_us * test::noise(random);
      if (static_cast<int>(random() % 100) < recipe.wild_percent) us *= 30;
      durations[number] = std::max<std::int64_t>(1, std::llround(us + kOverhead));
    }
    ++number;  // lseek
  }
  return durations;
}

std::string make_bundle(const std::string& name, const Recipe& recipe, const Device& device) {
  workload::WorkloadBundleRequest request;
  request.workload = {"append-fsync", {}};
  request.folder = std::string(FCSIM_BINARY_DIR) + "/test-files/fit/" + name;
  request.fast_commit_kib = 64;  // soon full: full commits too
  request.replace = true;
  request.compress = false;
  workload::write_workload_bundle(request);
  write_trace(request.folder, trace_of(recipe, {}));
  write_trace(request.folder, trace_of(recipe, reckon(request.folder, recipe, device)));
  return request.folder;
}

questions::fit::DeviceFit fit(const std::string& folder, const Recipe& recipe) {
  replay::SessionRequest request;
  request.inputs = {folder};
  request.configuration = test::configured();
  request.configuration.settings = settings_of(recipe);
  return questions::fit::fit(request);
}

const questions::fit::DeviceEstimate* estimate_of(const questions::fit::DeviceFit& fit,
                                                  questions::fit::DeviceTime time) {
  for (const questions::fit::DeviceEstimate& estimate : fit.estimates)
    if (estimate.parts.front().time == time) return &estimate;
  return nullptr;
}

void check_near(const questions::fit::DeviceFit& fit, questions::fit::DeviceTime time, double truth,
                double least_error) {
  const questions::fit::DeviceEstimate* const estimate = estimate_of(fit, time);
  REQUIRE(estimate != nullptr);
  INFO(questions::fit::kDeviceTimes[static_cast<std::size_t>(time)]);
  CHECK(estimate->parts.size() == 1);
  CHECK(estimate->us >= 0);
  CAPTURE(estimate->us, estimate->standard_error_us);
  CHECK(std::abs(estimate->us - truth) <= 4 * estimate->standard_error_us + least_error);
}

void check_device(const questions::fit::DeviceFit& fit, double least_error) {
  check_near(fit, questions::fit::DeviceTime::write, kDisk.write_us, least_error);
  check_near(fit, questions::fit::DeviceTime::flush, kDisk.flush_us, least_error);
  check_near(fit, questions::fit::DeviceTime::fua, kDisk.fua_us, least_error);
  check_near(fit, questions::fit::DeviceTime::block, kDisk.block_us, least_error);
}

}  // namespace

TEST_CASE("a known device is found again", "[fit]") {
  const Recipe recipe;
  const questions::fit::DeviceFit found = fit(make_bundle("exact", recipe, kDisk), recipe);
  std::uint64_t calls = 0;
  for (int round = 0; round < kRounds; ++round)
    calls += static_cast<std::uint64_t>(fsyncs_of(recipe, round));
  CHECK(found.calls == calls);
  CHECK(found.overhead_us == kOverhead);
  CHECK(found.observations.fast_commits > 50);
  CHECK(found.observations.full_commits > 30);
  CHECK(found.observations.flushes_alone > 20);
  CHECK(found.outliers == 0);
  CHECK(found.unseen.empty());
  check_device(found, 0.05);
  for (const questions::fit::DeviceEstimate& estimate : found.estimates)
    CHECK(estimate.standard_error_us < 0.2);
}

TEST_CASE("with noise and calls that take 30 times as long", "[fit]") {
  Recipe recipe;
  recipe.noise_us = 40;
  recipe.wild_percent = 5;
  const questions::fit::DeviceFit found = fit(make_bundle("noisy", recipe, kDisk), recipe);
  check_device(found, 0);
  CHECK(found.outliers >= 20);
  for (const questions::fit::DeviceEstimate& estimate : found.estimates) {
    CHECK(estimate.standard_error_us > 0);
    CHECK(estimate.standard_error_us < 20);
  }
}

TEST_CASE("what always comes together is given as a sum", "[fit]") {
  Recipe recipe;
  recipe.again = false;
  const questions::fit::DeviceFit found = fit(make_bundle("together", recipe, kDisk), recipe);
  CHECK(found.observations.flushes_alone == 0);
  const questions::fit::DeviceEstimate* const sum =
      estimate_of(found, questions::fit::DeviceTime::flush);
  REQUIRE(sum != nullptr);
  REQUIRE(sum->parts.size() == 2);
  CHECK(sum->parts[1].time == questions::fit::DeviceTime::fua);
  CHECK(std::abs(sum->parts[1].share - 1) < 1e-6);
  CHECK(std::abs(sum->us - (kDisk.flush_us + kDisk.fua_us)) < 1);
  CHECK(estimate_of(found, questions::fit::DeviceTime::fua) == nullptr);
  const std::string toml = report::fit_toml(found);
  CHECK(toml.find("\nwrite_us = ") != std::string::npos);
  CHECK(toml.find("\nflush_us") == std::string::npos);
  CHECK(toml.find("\nfua_us") == std::string::npos);
  CHECK(toml.find("\n# flush_us + fua_us = ") != std::string::npos);
}

// 3 of 203 calls find nothing to commit, and return at once: a flush would cost nothing by them.
TEST_CASE("calls of a rare kind do not tell times apart", "[fit]") {
  const std::string folder = make_bundle("rare", {}, kDisk);
  std::int64_t clock = 0;
  std::string text;
  const auto add = [&](const std::string& call, std::int64_t us) {
    text += line(clock, call, us, true);
  };
  const std::string fd = "3</mnt/append-fsync/data>";
  add("openat(AT_FDCWD</mnt/append-fsync>, \"data\", O_RDWR|O_CREAT, 0644) = " + fd, 40);
  for (int round = 0; round < 200; ++round) {
    add("pwrite64(" + fd + ", \"x\"..., 4096, " + std::to_string(round * 4096) + ") = 4096", 20);
    add("fsync(" + fd + ") = 0", 800);
    if (round % 70 == 50) add("fsync(" + fd + ") = 0", 1);
  }
  write_trace(folder, text);
  const questions::fit::DeviceFit found = fit(folder, {});
  CHECK(found.warnings.size() == 1);
  const questions::fit::DeviceEstimate* const sum =
      estimate_of(found, questions::fit::DeviceTime::flush);
  REQUIRE(sum != nullptr);
  REQUIRE(sum->parts.size() == 2);
  CHECK(sum->parts[1].time == questions::fit::DeviceTime::fua);
  CHECK(std::abs(sum->us - 800) < 1);
  CHECK_FALSE(sum->at_bound);
}

TEST_CASE("without barriers nothing is said about flushes", "[fit]") {
  Recipe recipe;
  recipe.barrier = false;
  const questions::fit::DeviceFit found = fit(make_bundle("nobarrier", recipe, kDisk), recipe);
  CHECK(found.unseen == std::vector<questions::fit::DeviceTime>{questions::fit::DeviceTime::flush,
                                                                questions::fit::DeviceTime::fua});
  check_near(found, questions::fit::DeviceTime::write, kDisk.write_us, 0.05);
  check_near(found, questions::fit::DeviceTime::block, kDisk.block_us, 0.05);
}

TEST_CASE("the table that is written is read as the device", "[fit]") {
  const Recipe recipe;
  const std::string folder = make_bundle("table", recipe, kDisk);
  const std::string path = folder + "-device.toml";
  std::ofstream(path) << report::fit_toml(fit(folder, recipe));
  configuration::LoadRequest request = test::configured();
  request.files = {path};
  const model::DeviceSettings device = configuration::load(request).values.device;
  CHECK(std::abs(device.write_us - kDisk.write_us) < 0.1);
  CHECK(std::abs(device.flush_us - kDisk.flush_us) < 0.5);
  CHECK(std::abs(device.fua_us - kDisk.fua_us) < 0.5);
  CHECK(std::abs(4096 / (device.bandwidth_mib_s * 1.048576) - kDisk.block_us) < 0.05);
}

TEST_CASE("a trace without durations is refused", "[fit]") {
  Recipe recipe;
  recipe.durations = false;
  const std::string folder = make_bundle("no-durations", recipe, kDisk);
  std::string message;
  try {
    fit(folder, recipe);
  } catch (const model::InputError& error) {
    message = error.what();
  }
  CHECK(message ==
        folder + ": has no durations: expected a trace that was recorded with strace -T");
}

TEST_CASE("recorded bundles are fitted, with times that are not negative", "[fit]") {
  std::vector<std::string> inputs = test::corpus_bundles();
  for (const char* name : {"art-fc128", "rfc-sparse-r4", "mt-append-2", "append-fsync-twice"})
    inputs.push_back(test::bundle(name));
  for (const std::string& input : inputs) {
    INFO(input);
    replay::SessionRequest request;
    request.inputs = {input};
    request.configuration = test::configured();
    const engine::SyncCalls calls = replay::predict(request).prediction.sync_calls;
    if (calls.fsync + calls.fdatasync <= 4) {
      CHECK_THROWS_AS(questions::fit::fit(request), model::InputError);
      continue;
    }
    const questions::fit::DeviceFit found = questions::fit::fit(request);
    CHECK(found.calls != 0);
    CHECK_FALSE(found.estimates.empty());
    for (const questions::fit::DeviceEstimate& estimate : found.estimates) {
      CHECK(estimate.us >= 0);
      CHECK(std::isfinite(estimate.us));
    }
    CHECK(text_of(report::fit_document(found), {}).find("nan") == std::string::npos);
    CHECK(report::fit_json(found).find("nan") == std::string::npos);
  }
}
