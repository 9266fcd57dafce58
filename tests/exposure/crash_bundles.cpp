// Does the predicted tree after a cut equal the one that a kernel's replay left?
#include "sim/command/command.h"
#include "sim/questions/exposure/exposure.h"
#include "sim/report/exposure_report.h"
#include "tests/catch.h"
#include "tests/exposure/survivors.h"

using namespace fcsim;
namespace exposure = fcsim::questions::exposure;

namespace {

std::string folder(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/exposure/bundles/" + name;
}

exposure::Exposure expose(const std::string& name, bool risks) {
  exposure::ExposureRequest request;
  request.session.inputs = {folder(name)};
  request.session.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.cuts = exposure::read_cuts(folder(name) + "/crash.toml");
  request.risks = risks;
  return exposure::expose(request);
}

}  // namespace

TEST_CASE("what is there after a shutdown is what the kernel's replay left", "[exposure]") {
  for (const std::string name : {"new-fsync", "new-tmpfile", "unlink-open"}) {
    INFO(name);
    const exposure::Exposure result = expose(name, false);
    REQUIRE(!result.cuts.empty());
    CHECK(test::survivor_differences(
              test::survivor_table(test::read_file(folder(name) + "/survivors.tsv")),
              test::survivor_table(report::survivors_tsv(result)),
              test::record_numbers(folder(name) + "/trace.strace")) == "");
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

TEST_CASE("times of cuts", "[exposure]") {
  CHECK(exposure::parse_seconds("12.5") == 12'500'000'000);
  CHECK(exposure::parse_seconds("1796105899.793192") == 1'796'105'899'793'192'000);
  CHECK_THROWS_AS(exposure::parse_seconds("soon"), std::invalid_argument);
  CHECK_THROWS_AS(exposure::parse_seconds("-1"), std::invalid_argument);
}
