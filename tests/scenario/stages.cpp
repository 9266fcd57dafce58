// Are recordings with an administrator's steps in between predicted run by run?
#include "sim/questions/validate/validate.h"
#include "sim/replay/session.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

const std::string kBundles = FCSIM_SOURCE_DIR "/tests/scenario/bundles";

questions::validate::ValidateRequest request() {
  questions::validate::ValidateRequest request;
  request.paths = {kBundles};
  request.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
  return request;
}

std::uint64_t truth_of(const questions::validate::StageResult& stage, const std::string& counter) {
  for (const questions::validate::ComparedCounter& compared : stage.counters)
    if (compared.name == counter) return compared.truth;
  return 0;
}

// art-tune-off, two runs of 1001 fsyncs, with other steps between them.
engine::Prediction predict_with(const std::string& stages) {
  replay::SessionRequest session;
  session.inputs = {kBundles + "/art-tune-off"};
  session.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
  session.configuration.settings = {"recorded_with.stages=" + stages};
  return replay::predict(session).prediction;
}

}  // namespace

TEST_CASE("they are with think times kept, too", "[scenario]") {
  questions::validate::ValidateRequest closed = request();
  closed.configuration.settings = {"trace.timing=closed"};
  questions::validate::validate(closed, [&](const questions::validate::BundleResult& result) {
    INFO(result.path << " " << result.reason);
    CHECK(result.stages.size() > 1);
    CHECK(result.verdict == questions::validate::Verdict::exact);
  });
}

TEST_CASE("each run and their sum are what the kernel counted", "[scenario]") {
  std::size_t bundles = 0;
  questions::validate::validate(request(), [&](const questions::validate::BundleResult& result) {
    INFO(result.path << " " << result.reason);
    ++bundles;
    CHECK(result.verdict == questions::validate::Verdict::exact);
    CHECK(result.stages.size() >= 2);
    for (const questions::validate::StageResult& stage : result.stages) {
      INFO(stage.admin);
      CHECK(stage.verdict == questions::validate::Verdict::exact);
    }
  });
  CHECK(bundles == 3);
}

TEST_CASE("the trap, run by run", "[scenario]") {
  const questions::validate::BundleResult trap =
      questions::validate::validate_bundle(kBundles + "/art-tune-trap", request());
  REQUIRE(trap.stages.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(truth_of(trap.stages[i], "transactions") == 2001);
  CHECK(truth_of(trap.stages[3], "commits") == 1993);
}

TEST_CASE("a file system made anew between runs", "[scenario]") {
  const engine::Prediction prediction =
      predict_with("[\"umount {mnt}; mke2fs -O ^fast_commit {img}; mount -o {opts} {img} {mnt}\"]");
  REQUIRE(prediction.stages.size() == 2);
  CHECK(prediction.stages[0].counted.commits == 985);
  CHECK(prediction.stages[1].counted.commits == 0);
  CHECK(prediction.stages[1].counted.transactions == 1001);
  CHECK(prediction.commits == 985);
  CHECK(prediction.transactions == 16 + 1001);
  CHECK(prediction.unsupported.empty());
}

TEST_CASE("a step that is not understood is told", "[scenario]") {
  const engine::Prediction prediction = predict_with("[\"e4defrag {mnt}\"]");
  REQUIRE(prediction.unsupported.size() == 1);
  CHECK(prediction.unsupported.begin()->first.find("\"e4defrag {mnt}\" is not understood") !=
        std::string::npos);
  CHECK(prediction.stages[1].counted.commits == 985);  // nothing changed
}

TEST_CASE("stages and runs must match", "[scenario]") {
  CHECK_THROWS_AS(predict_with("[\"sync\", \"sync\"]"), model::InputError);
  CHECK_THROWS_AS(predict_with("[\"umount {mnt}\"]"), model::InputError);  // nothing is mounted
}
