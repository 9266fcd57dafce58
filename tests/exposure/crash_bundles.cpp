// Does the predicted tree after a cut equal the one that a kernel's replay left?
#include <filesystem>

#include "sim/command/command.h"
#include "sim/questions/exposure/cut_check.h"
#include "sim/questions/exposure/exposure.h"
#include "sim/questions/exposure/settings.h"
#include "sim/report/exposure_report.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"

using namespace fcsim;
namespace exposure = fcsim::questions::exposure;

namespace {

std::string folder(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/exposure/bundles/" + name;
}

exposure::Exposure expose(const std::string& name, bool risks,
                          const std::vector<std::string>& settings = {}) {
  exposure::ExposureRequest request;
  request.session.configuration.settings = settings;
  request.session.inputs = {folder(name)};
  request.session.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  if (const std::string cuts = folder(name) + "/crash.toml"; std::filesystem::exists(cuts))
    request.cuts = exposure::read_cuts(cuts);
  request.risks = risks;
  return exposure::expose(request);
}

}  // namespace

TEST_CASE("what is there after a shutdown is what the kernel's replay left", "[exposure]") {
  for (const std::string name : {"new-fsync", "new-tmpfile", "unlink-open"}) {
    INFO(name);
    const exposure::Exposure result = expose(name, false);
    REQUIRE(!result.cuts.empty());
    const exposure::CutCheck check = exposure::check_cuts(
        exposure::read_survivors(folder(name)), report::survivors_tsv(result),
        exposure::record_numbers(folder(name) + "/trace.strace"));
    CHECK(check.differences == std::vector<std::string>{});
    CHECK(check.points == result.cuts.size());
    CHECK(check.same == check.points);
    CHECK(check.records > 0);
    CHECK(check.right == check.records);
  }
}

TEST_CASE("an O_TMPFILE file with a name loses it although it was fsynced", "[exposure]") {
  const exposure::Exposure result = expose("new-tmpfile", true);
  REQUIRE(!result.broken.empty());
  for (const auto& broken : result.broken) {
    CHECK(broken.breach == model::exposure::Breach::link_without_create);
    CHECK(broken.name_missing);
  }
}

TEST_CASE("an fsynced file with a name keeps it", "[exposure]") {
  const exposure::Exposure result = expose("new-fsync", true);
  CHECK(result.broken.empty());
  CHECK(result.unmountable.empty());
}

TEST_CASE("a fast commit beside an open, unlinked file makes a log that cannot be replayed",
          "[exposure]") {
  CHECK(!expose("unlink-open", true).unmountable.empty());
}

TEST_CASE("each rule that breaks a promise is a value of the kernel's profile", "[exposure]") {
  CHECK(expose("new-tmpfile", true, {"durability.tmpfile_link_logs_inode=true"}).broken.empty());
  CHECK(expose("unlink-open", true, {"durability.unlinked_inode_replays=true"})
            .unmountable.empty());
}

TEST_CASE("without barriers no fsync keeps its promise", "[exposure]") {
  const exposure::Exposure result = expose("new-fsync", true, {"mount.barrier=false"});
  REQUIRE(!result.broken.empty());
  for (const auto& broken : result.broken) {
    CHECK(broken.breach == model::exposure::Breach::no_barrier);
    CHECK(broken.kept_at == 0);
  }
}

TEST_CASE("a fast commit leaves out the mode of a directory", "[exposure]") {
  const exposure::Exposure result = expose("chmod-directory", true);
  REQUIRE(result.broken.size() == 1);
  CHECK(result.broken[0].breach == model::exposure::Breach::directory_attributes);
  CHECK(expose("chmod-directory", true, {"durability.directory_attributes_logged=true"})
            .broken.empty());
}

TEST_CASE("SQLite's last transaction hangs on the unlink of its journal", "[exposure]") {
  const exposure::Exposure result = expose("rollback-journal", true);
  REQUIRE(result.broken.size() == 1);
  CHECK(result.broken[0].breach == model::exposure::Breach::commit_by_unlink);
  CHECK(result.broken[0].kept_at > result.broken[0].call.end + 4'000'000'000);
  CHECK(expose("rollback-journal", true, {"mount.dirsync=true"}).broken.empty());
}

TEST_CASE("a new file that nobody syncs is there and empty until the flusher writes it",
          "[exposure]") {
  const exposure::Exposure result = expose("rollback-journal", true);
  const auto empty = static_cast<std::size_t>(model::exposure::HalfKind::empty);
  CHECK(result.half_states.seen[empty] == 1);
  REQUIRE(!result.half_states.list.empty());
  CHECK(result.half_states.list.back().kind == model::exposure::HalfKind::empty);
}

TEST_CASE("data at risk by setting", "[exposure]") {
  exposure::ExposureRequest request;
  request.session.inputs = {folder("rollback-journal")};
  request.session.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  const exposure::BySetting rows =
      exposure::by_setting(request, {{"mount.data", {"ordered", "journal"}}});
  REQUIRE(rows.rows.size() == 2);
  CHECK(rows.rows[0].error.empty());
  CHECK(rows.rows[0].ages.maximum > rows.rows[1].ages.maximum);
}

TEST_CASE("times of cuts", "[exposure]") {
  CHECK(exposure::parse_seconds("12.5") == 12'500'000'000);
  CHECK(exposure::parse_seconds("1796105899.793192") == 1'796'105'899'793'192'000);
  CHECK_THROWS_AS(exposure::parse_seconds("soon"), std::invalid_argument);
  CHECK_THROWS_AS(exposure::parse_seconds("-1"), std::invalid_argument);
}
