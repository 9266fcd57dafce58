// Does validation tell exact, within spread and wrong apart?
#include "sim/validation/comparison.h"

#include "sim/report/validation_text.h"
#include "sim/validation/kernel_commits.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

namespace {

sim::Truth truth_of(std::vector<sim::Counter> counters) {
  sim::Truth truth;
  truth.counters = std::move(counters);
  return truth;
}

}  // namespace

TEST_CASE("verdicts", "[validation]") {
  sim::Prediction prediction;
  prediction.commits = 10;
  prediction.transactions = 2;
  sim::Truth truth = truth_of({{"commits", 10}, {"transactions", 2}});
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::exact);
  truth.counters[1].value = 3;
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::differs);
  truth.spread["transactions"] = {2, 3};
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::within_spread);
  prediction.transactions = 1;
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::differs);
}

TEST_CASE("a reason that only one side has is a difference", "[validation]") {
  sim::Prediction prediction;
  prediction.reasons = {{"Cross rename", 4}, {"Resize", 0}};
  sim::Truth truth = truth_of({{"commits", 0}});
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::differs);
  truth.counters.push_back({"reasons.Cross rename", 4});
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::exact);
  truth.counters.push_back({"reasons.Dir renamed", 1});
  CHECK(sim::judge(sim::compare(prediction, truth)) == sim::Verdict::differs);
}

TEST_CASE("a line shows the prediction, the truth and the difference", "[validation]") {
  sim::Prediction prediction;
  prediction.commits = 12;
  sim::BundleResult result;
  result.path = "a/case";
  result.counters = sim::compare(prediction, truth_of({{"commits", 10}, {"ineligible", 0}}));
  result.verdict = sim::judge(result.counters);
  sim::ValidationText text({"a/case", "a/other"});
  CHECK(text.line(result) == "case   differs        commits 12 (kernel 10, +2)  ineligible 0\n");
  CHECK_FALSE(text.all_fine());
  CHECK(text.summary() == "1 bundle: 0 exact, 1 differs\n");
}

TEST_CASE("the kernel's commits are read", "[validation]") {
  const sim::KernelCommits commits =
      sim::read_kernel_commits(test::bundles_folder() + "/art-fc128/commits.tsv.zst");
  REQUIRE(commits.full.size() == 188);
  CHECK(commits.full.front().tid == 2);
  CHECK(commits.full.front().blocks == 5);
  CHECK(commits.full.front().blocks_logged == 7);
  CHECK(commits.full.front().handles == 4);
  REQUIRE(commits.fast.size() == 6001);
  CHECK(commits.fast.front().outcome == model::Outcome::failed);
  CHECK(commits.fast.front().start == 1796038021'125996'000);
  CHECK(commits.fast[1].outcome == model::Outcome::ok);
  CHECK(commits.fast[1].blocks == 1);
}

TEST_CASE("a prediction that equals the kernel has no first difference", "[validation]") {
  const sim::KernelCommits kernel =
      sim::read_kernel_commits(test::bundles_folder() + "/art-fc128/commits.tsv.zst");
  sim::Prediction prediction;
  for (const auto& commit : kernel.fast) {
    model::FastCommitRecord record;
    record.start = commit.start;
    record.tid = commit.tid;
    record.outcome = commit.outcome;
    record.blocks = commit.blocks;
    prediction.fast_commits.push_back(record);
  }
  for (const auto& commit : kernel.full) {
    model::FullCommitRecord record;
    record.tid = commit.tid;
    record.blocks = commit.blocks;
    record.blocks_logged = commit.blocks_logged;
    prediction.full_commits.push_back(record);
  }
  CHECK_FALSE(sim::find_first_difference(prediction, kernel, true));
  CHECK(sim::compare_blocks(prediction, kernel).equal == 188);
  prediction.full_commits[7].blocks += 1;
  CHECK_FALSE(sim::find_first_difference(prediction, kernel, false));
  REQUIRE(sim::find_first_difference(prediction, kernel, true));
  CHECK(sim::find_first_difference(prediction, kernel, true)->number == 7);
  prediction.fast_commits[3].blocks = 2;
  CHECK(sim::find_first_difference(prediction, kernel, false)->number == 3);
  CHECK(sim::compare_blocks(prediction, kernel).equal == 187);
}
