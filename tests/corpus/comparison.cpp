// Does validation tell exact, within spread and wrong apart?
#include "sim/questions/validate/comparison.h"

#include "sim/questions/validate/kernel_commits.h"
#include "sim/report/validation_report.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

namespace {

machine::Truth truth_of(std::vector<machine::Counter> counters) {
  machine::Truth truth;
  truth.counters = std::move(counters);
  return truth;
}

}  // namespace

TEST_CASE("verdicts", "[validation]") {
  engine::Prediction prediction;
  prediction.commits = 10;
  prediction.transactions = 2;
  machine::Truth truth = truth_of({{"commits", 10}, {"transactions", 2}});
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::exact);
  truth.counters[1].value = 3;
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::differs);
  truth.spread["transactions"] = {2, 3};
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::within_spread);
  prediction.transactions = 1;
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::differs);
}

TEST_CASE("a reason that only one side has is a difference", "[validation]") {
  engine::Prediction prediction;
  prediction.reasons = {{"Cross rename", 4}, {"Resize", 0}};
  machine::Truth truth = truth_of({{"commits", 0}});
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::differs);
  truth.counters.push_back({"reasons.Cross rename", 4});
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::exact);
  truth.counters.push_back({"reasons.Dir renamed", 1});
  CHECK(questions::validate::judge(questions::validate::compare(prediction, truth)) ==
        questions::validate::Verdict::differs);
}

TEST_CASE("a line shows the prediction, the truth and the difference", "[validation]") {
  engine::Prediction prediction;
  prediction.commits = 12;
  questions::validate::BundleResult result;
  result.path = "a/case";
  result.counters =
      questions::validate::compare(prediction, truth_of({{"commits", 10}, {"ineligible", 0}}));
  result.verdict = questions::validate::judge(result.counters);
  report::ValidationText text({"a/case", "a/other"});
  CHECK(text.line(result) == "case   differs        commits 12 (kernel 10, +2)  ineligible 0\n");
  CHECK_FALSE(text.all_fine());
  CHECK(text.summary() == "1 bundle: 0 exact, 1 differs\n");
}

TEST_CASE("the kernel's commits are read", "[validation]") {
  const questions::validate::KernelCommits commits = questions::validate::read_kernel_commits(
      test::bundles_folder() + "/art-fc128/commits.tsv.zst");
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
  const questions::validate::KernelCommits kernel = questions::validate::read_kernel_commits(
      test::bundles_folder() + "/art-fc128/commits.tsv.zst");
  engine::Prediction prediction;
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
  CHECK_FALSE(questions::validate::find_first_difference(prediction, kernel, true));
  CHECK(questions::validate::compare_blocks(prediction, kernel).equal == 188);
  prediction.full_commits[7].blocks += 1;
  CHECK_FALSE(questions::validate::find_first_difference(prediction, kernel, false));
  REQUIRE(questions::validate::find_first_difference(prediction, kernel, true));
  CHECK(questions::validate::find_first_difference(prediction, kernel, true)->number == 7);
  prediction.fast_commits[3].blocks = 2;
  CHECK(questions::validate::find_first_difference(prediction, kernel, false)->number == 3);
  CHECK(questions::validate::compare_blocks(prediction, kernel).equal == 187);
}
