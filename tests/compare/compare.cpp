// Does compare put two runs side by side and find the sync calls that went another way?
#include "sim/questions/compare/compare.h"

#include "sim/report/compare_report.h"
#include "sim/support/json.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

questions::compare::CompareResult compare(const std::string& input,
                                          const std::vector<std::string>& a,
                                          const std::vector<std::string>& b,
                                          std::size_t changes = 10) {
  questions::compare::CompareRequest request;
  request.common.inputs = {input};
  request.common.threads = 2;
  request.a = configured();
  request.b = configured();
  request.a.settings = a;
  request.b.settings = b;
  request.changes = changes;
  return questions::compare::compare(request);
}

}  // namespace

TEST_CASE("each side is a run of its own", "[compare]") {
  std::vector<std::string> inputs = corpus_bundles();
  for (const char* name : {"creat", "setxattr", "mt-append-2", "rfc-sparse-r4"})
    inputs.push_back(bundle(name));
  for (const std::string& input : inputs) {
    INFO(input);
    const std::vector<std::string> a = {"kernel.profile=6.1"};
    const std::vector<std::string> b = {"kernel.profile=7.2", "mount.commit_interval_s=1"};
    const questions::compare::CompareResult result = compare(input, a, b);
    const std::string json_a = run_json(input, a);
    const std::string json_b = run_json(input, b);
    CHECK(report::json_report(result.configuration_a, result.a) == json_a);
    CHECK(report::json_report(result.configuration_b, result.b) == json_b);
    const std::string text = report::compare_json(result);
    const auto both = support::Json::parse(text);
    CHECK(both["a"] == support::Json::parse(json_a));
    CHECK(both["b"] == support::Json::parse(json_b));
  }
}

TEST_CASE("alike configurations do not differ", "[compare]") {
  const questions::compare::CompareResult result = compare(bundle("mt-append-2"), {}, {});
  CHECK(result.settings.empty());
  CHECK(result.changed == 0);
  CHECK(result.sync_calls != 0);
  for (const questions::compare::CounterPair& pair : result.counters) CHECK(pair.a == pair.b);
}

TEST_CASE("twice the area: what moved, and which fsyncs", "[compare]") {
  const questions::compare::CompareResult result =
      compare(bundle("art-fc128"), {"filesystem.fast_commit_kib=512"},
              {"filesystem.fast_commit_kib=1024"}, 2);
  CHECK(result.sync_calls == 6001);
  // In B's 23 cycles of 256 fsyncs every other full commit of A's 46 cycles of 128 is a fast one.
  CHECK(result.changed == 23);
  REQUIRE(result.changes.size() == 2);
  const questions::compare::PathChange& change = result.changes.front();
  CHECK(describe(change.a) == "full commit (area_full)");
  CHECK(describe(change.b) == "fast commit, 1 block");
  CHECK(change.path == "r0f0");
  CHECK(change.call.line == 380 + 2 * 128);  // the first fsync is on line 380, a write between
  const std::string text = text_of(report::compare_document(result), {});
  CHECK(text.find("filesystem.fast_commit_blocks  128   256\n") != std::string::npos);
  CHECK(text.find("  -23 area_full (the fast commit did not fit into the area)\n") !=
        std::string::npos);
  CHECK(text.find("23 of 6001 sync calls took another path; the first 2:\n") != std::string::npos);
}

TEST_CASE("a counter that one kernel lacks", "[compare]") {
  const questions::compare::CompareResult result =
      compare(bundle("rfc-sparse-r4"), {"kernel.profile=6.18"}, {"kernel.profile=7.2"});
  std::size_t lacking = 0;
  for (const questions::compare::CounterPair& pair : result.counters)
    if (!pair.a && pair.b) ++lacking;
  CHECK(lacking == 13);  // ten of snapshots, three reasons
}
