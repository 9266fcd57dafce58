// Do an administrator's steps do to the counters what they do to the kernel's?
#include <cstdint>
#include <utility>

#include "tests/scenario/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// Fast and full commits since the mount, after each run.
std::vector<std::pair<std::uint64_t, std::uint64_t>> after_runs(
    const questions::scenario::ScenarioResult& result) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
  for (const questions::scenario::StepResult& step : result.steps)
    if (step.step.kind == replay::StepKind::run)
      counts.emplace_back(step.counted.commits, step.counted.transactions);
  return counts;
}

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::string run_of(const std::string& name) {
  return "[[step]]\nrun = \"" + bundle(name) + "\"\n";
}

constexpr const char* kMade = "[[step]]\nmkfs = \"-O fast_commit 512M\"\n[[step]]\nmount = \"\"\n";
constexpr const char* kUnmounted = "[[step]]\numount = true\n[[step]]\nmount = \"\"\n";

}  // namespace

TEST_CASE("the article's five steps", "[scenario]") {
  const questions::scenario::ScenarioResult result = run_file(scenario_file("five-steps.toml"));
  CHECK(after_runs(result) == Counts{{0, 2001}, {0, 4002}, {0, 6003}, {1993, 8}});
  CHECK(result.steps[3].counted.transactions == 2001);  // tune2fs alone changes nothing
  CHECK_FALSE(result.steps[3].counted.fast_commit_active);
  CHECK_FALSE(result.steps[5].counted.fast_commit_active);  // nor does the remount
  CHECK_FALSE(result.steps[7].mounted);
  CHECK(result.steps[8].counted.fast_commit_active);
  CHECK(result.steps[8].counted.transactions == 0);
  CHECK(result.steps[8].counted.max_transaction_blocks == 1280);  // 4096 less an area of 256, / 3
  CHECK(result.basis.unsupported.empty());
}

TEST_CASE("clearing the flag while mounted keeps fast commits going", "[scenario]") {
  const questions::scenario::ScenarioResult result =
      run_file(scenario_file("off-while-mounted.toml"));
  // An area of 64 blocks holds 63 fast commits; the first commit of the mount is a full one.
  CHECK(after_runs(result) == Counts{{1969, 32}, {3939, 63}, {0, 2001}});
}

TEST_CASE("a mount's first commit is a full one, on each mount", "[scenario]") {
  const questions::scenario::ScenarioResult result =
      run_text(std::string(kMade) + run_of("art-tune-area") + kUnmounted + run_of("art-tune-area"));
  for (const questions::scenario::StepResult& step : result.steps)
    if (step.step.kind == replay::StepKind::run)
      CHECK(step.counted.causes[static_cast<std::size_t>(model::Cause::first_commit)] == 1);
  CHECK(after_runs(result) == Counts{{1969, 32}, {1969, 32}});
}

TEST_CASE("a remount to read-only syncs, any other does not", "[scenario]") {
  const std::string unsynced = std::string(kMade) + run_of("wb-chmod-6s");
  const auto transactions = [&](const std::string& step) {
    return run_text(unsynced + "[[step]]\n" + step + "\n").steps.back().counted.transactions;
  };
  CHECK(transactions("remount = \"rw\"") == transactions("remount = \"commit=30\""));
  CHECK(transactions("remount = \"ro\"") == transactions("remount = \"rw\"") + 1);
  CHECK(transactions("sync = true") == transactions("remount = \"ro\""));
}

TEST_CASE("files outlive an unmount, and not a mkfs", "[scenario]") {
  // unlinking needs what another run made
  const std::string made = std::string(kMade) + run_of("art-tune-area");
  const questions::scenario::ScenarioResult kept =
      run_text(made + kUnmounted + run_of("art-tune-area"));
  const questions::scenario::ScenarioResult anew = run_text(
      made +
      "[[step]]\numount = true\n[[step]]\nmkfs = \"-O fast_commit\"\n[[step]]\nmount = \"\"\n" +
      run_of("art-tune-area"));
  // Truncating the old file frees its blocks: more is logged than for a new one's.
  CHECK(kept.steps.back().counted.blocks != anew.steps.back().counted.blocks);
  CHECK(kept.steps.back().counted.commits == anew.steps.back().counted.commits);
  const questions::scenario::ScenarioResult once = run_text(made);
  CHECK(anew.steps.back().counted.blocks == once.steps.back().counted.blocks);
}

TEST_CASE("same scenario, same counters", "[scenario]") {
  const questions::scenario::ScenarioResult a = run_file(scenario_file("five-steps.toml"));
  const questions::scenario::ScenarioResult b = run_file(scenario_file("five-steps.toml"));
  REQUIRE(a.steps.size() == b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    CHECK(a.steps[i].counted.blocks_logged == b.steps[i].counted.blocks_logged);
    CHECK(a.steps[i].counted.handles == b.steps[i].counted.handles);
  }
}

TEST_CASE("what the kernel refuses is told at the step", "[scenario]") {
  // A journal of 1024 blocks cannot give 256 of them away.
  CHECK(failure_of("[[step]]\nmkfs = \"-J size=4 512M\"\n[[step]]\ntune2fs = \"-O fast_commit\"\n"
                   "[[step]]\nmount = \"\"\n")
            .starts_with("6:1: the kernel refuses to mount this: "));
  CHECK(failure_of(std::string(kMade) + "[[step]]\nremount = \"data=journal\"\n") ==
        "6:1: the kernel refuses to change data= by a remount");
}
