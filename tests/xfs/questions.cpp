// The other questions on XFS: explain, compare with ext4, and what a change of the type does to a
// configuration.
#include <algorithm>

#include "sim/questions/compare/compare.h"
#include "sim/questions/explain/explain.h"
#include "sim/replay/translate_initial.h"
#include "sim/report/compare_report.h"
#include "sim/report/explain_report.h"
#include "tests/catch.h"

using namespace fcsim;

namespace {

std::string xfs_bundle(const std::string& name) {
  return FCSIM_SOURCE_DIR "/tests/xfs/bundles/" + name;
}

configuration::LoadRequest with(const std::vector<std::string>& settings) {
  configuration::LoadRequest request;
  request.directories = {FCSIM_SOURCE_DIR "/configs"};
  request.settings = settings;
  return request;
}

questions::explain::Explanation explain(const std::string& name) {
  questions::explain::ExplainRequest request;
  request.session.inputs = {xfs_bundle(name)};
  request.session.configuration = with({});
  return questions::explain::explain(request);
}

}  // namespace

TEST_CASE("explain names the call that forced each log write, and why others had none") {
  const questions::explain::Explanation reads = explain("read-fsync-lazy");
  REQUIRE(reads.prediction.checkpoints.size() == 1);
  CHECK(reads.prediction.syncs.size() == 32);
  CHECK(report::explain_document(reads, 1).title().starts_with("1 log write, 31 empty flushes"));
  const std::string csv = report::explain_csv(reads, 0);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 2);
  CHECK(csv.find(",fsync,f0,") != std::string::npos);
  const auto json = support::Json::parse(report::explain_json(reads, 0));
  CHECK(json["log_writes"].size() == 1);
  CHECK(json["without_log_write"].size() == 31);
  CHECK(json["without_log_write"][0]["why"] == "nothing was pending");
  const questions::explain::Explanation writes = explain("fio-think-fdatasync-lazy");
  for (const model::SyncRecord& record : writes.prediction.syncs)
    CHECK(record.reason == model::SyncReason::timestamps_only);
}

TEST_CASE("the report's command: lazytime costs a log write for each fdatasync from 7.0 on") {
  const auto led = [](const std::string& kernel, const std::string& lazytime) {
    questions::compare::CompareRequest request;
    request.common.inputs = {xfs_bundle("fio-think-fdatasync-lazy")};
    request.a = with({"kernel.profile=" + kernel, "mount.lazytime=" + lazytime});
    request.b = request.a;
    const auto result = questions::compare::compare(request);
    return std::pair(result.a.block_device.log_writes, result.a.block_device.empty_flushes);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(led("6.18", "true") == Pair(0, 122));
  CHECK(led("7.0", "true") == Pair(122, 0));
  CHECK(led("6.18", "false") == Pair(0, 122));
  CHECK(led("7.0", "false") == Pair(0, 122));
}

TEST_CASE("two file systems side by side on one trace") {
  questions::compare::CompareRequest request;
  request.common.inputs = {xfs_bundle("op-chmod-nolazy")};
  request.a = with({});
  request.b = with({"filesystem.type=ext4", "filesystem.fast_commit=false"});
  const auto result = questions::compare::compare(request);
  CHECK(result.a.has_xfs);
  CHECK_FALSE(result.b.has_xfs);
  // fdatasync leaves a changed mode alone on ext4, and writes the log for it on XFS.
  CHECK(result.a.block_device.log_writes == 51);
  CHECK(result.b.block_device.empty_flushes == 50);
  const auto& assumed = result.b.assumed;
  CHECK(std::count(assumed.begin(), assumed.end(), replay::kTranslated) == 1);
  CHECK(result.configuration_b.values.filesystem.has("extent"));
  CHECK(result.configuration_b.values.filesystem.block_count == 262144);
  const std::string text = report::text_of(report::compare_document(result), {});
  CHECK(text.find("journal") != std::string::npos);
  CHECK(text.find("mke2fs") != std::string::npos);
}
