// Does the engine begin where the recording began: at the manifest's reads, with what they changed?
#include "sim/replay/session.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

// A bundle whose first call is 0.2 s before a sync(2), and whose root and lost+found are the
// manifest's only folders. The trace begins at 1796038591.76.
engine::Prediction prediction_with(const std::vector<std::string>& settings) {
  replay::SessionRequest request;
  request.inputs = {FCSIM_SOURCE_DIR "/tests/bundles/creat"};
  request.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
  request.configuration.settings = settings;
  request.keep_commits = true;
  return replay::predict(request).prediction;
}

std::uint64_t by_timer(const engine::Prediction& prediction) {
  return prediction.causes[static_cast<std::size_t>(model::Cause::timer)];
}

const std::string kEarly = "trace.manifest_at=1796038583.5";

}  // namespace

TEST_CASE("the manifest's reads open a transaction when they took place", "[record]") {
  CHECK(by_timer(prediction_with({})) == 0);
  CHECK(by_timer(prediction_with({kEarly})) == 1);
  // After the first call, or years before it: a clock was set meanwhile.
  CHECK(by_timer(prediction_with({"trace.manifest_at=1796038600"})) == 0);
  CHECK(by_timer(prediction_with({"trace.manifest_at=1"})) == 0);
}

TEST_CASE("only the folders whose access times moved are changed", "[record]") {
  const auto blocks_of_first = [](const std::string& moved) {
    const engine::Prediction prediction =
        prediction_with({kEarly, "trace.manifest_moved_atimes=" + moved});
    return by_timer(prediction) == 0 ? 0U : prediction.full_commits.front().handles;
  };
  CHECK(blocks_of_first("[\".\", \"lost+found\"]") == 2);
  CHECK(blocks_of_first("[\".\"]") == 1);
  CHECK(blocks_of_first("[\"lost+found\"]") == 1);
  CHECK(blocks_of_first("[]") == 0);
}

TEST_CASE("a mount that has committed before had its first full commit before", "[record]") {
  const auto first = [](const std::string& transactions) {
    return prediction_with({"trace.transactions_before=" + transactions})
        .causes[static_cast<std::size_t>(model::Cause::first_commit)];
  };
  replay::SessionRequest request;
  request.inputs = {FCSIM_SOURCE_DIR "/tests/bundles/creat-cold"};
  request.configuration.directories = {FCSIM_SOURCE_DIR "/configs"};
  const auto ineligible = [&](const char* setting) {
    request.configuration.settings = {setting};
    return replay::predict(request).prediction.ineligible;
  };
  CHECK(ineligible("trace.transactions_before=0") == 1);
  CHECK(ineligible("trace.transactions_before=7") == 0);
  CHECK(first("7") == 0);
}
