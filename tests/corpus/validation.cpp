// Are predictions what the kernel counted?
#include "sim/report/validation_text.h"
#include "tests/catch.h"
#include "tests/corpus/helper.h"

using namespace fcsim;

namespace {

struct Report {
  std::string text;
  std::string wrong;  // the lines of bundles that differ or failed
  bool fine = false;
};

Report validate(const sim::ValidateRequest& request) {
  Report report;
  sim::ValidationText text(sim::find_bundles(request.paths));
  sim::validate(request, [&](const sim::BundleResult& result) {
    const std::string line = text.line(result);
    report.text += line;
    if (result.verdict == sim::Verdict::differs || result.verdict == sim::Verdict::failed)
      report.wrong += line;
  });
  report.text += text.summary();
  report.fine = text.all_fine();
  return report;
}

}  // namespace

TEST_CASE("every bundled recording is predicted exactly", "[corpus]") {
  const Report report = validate(test::validate_request(test::bundles_folder()));
  INFO(report.wrong);
  CHECK(report.fine);
}

TEST_CASE("every recording of the rules is predicted exactly", "[corpus]") {
  const std::string corpus = test::corpus_folder();
  if (corpus.empty()) return;
  const Report report = validate(test::validate_request(corpus + "/rules"));
  INFO(report.wrong);
  CHECK(report.fine);
}

TEST_CASE("blocks of full commits are the kernel's in 95 of 100", "[corpus]") {
  const std::string corpus = test::corpus_folder();
  sim::ValidateRequest request =
      test::validate_request(corpus.empty() ? test::bundles_folder() : corpus + "/rules");
  request.blocks = true;
  std::uint64_t full_commits = 0;
  std::uint64_t equal = 0;
  sim::validate(request, [&](const sim::BundleResult& result) {
    if (!result.blocks) return;
    full_commits += result.blocks->full_commits;
    equal += result.blocks->equal;
  });
  INFO(equal << " of " << full_commits);
  CHECK(full_commits != 0);
  CHECK(equal * 100 >= full_commits * 95);
}

TEST_CASE("same bytes for any number of threads", "[corpus]") {
  sim::ValidateRequest request = test::validate_request(test::bundles_folder());
  request.blocks = true;
  request.first_difference = true;
  request.threads = 1;
  const std::string once = validate(request).text;
  request.threads = 3;
  CHECK(validate(request).text == once);
  CHECK(validate(request).text == once);
}
