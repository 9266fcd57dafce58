// What does -p understand?
#include "sim/questions/sweep/parameter.h"

#include "model/common/error.h"
#include "tests/catch.h"

using namespace fcsim;
using questions::sweep::parse_parameter;

namespace {

using Values = std::vector<std::string>;

Values values(const std::string& text) {
  return parse_parameter("range_tracking.max_ranges=" + text).values;
}

std::string message(const std::string& text) {
  try {
    parse_parameter(text);
    return "";
  } catch (const model::InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("lists and ranges", "[sweep]") {
  CHECK(values("1") == Values{"1"});
  CHECK(values("1,4,16") == Values{"1", "4", "16"});
  CHECK(values("1..3") == Values{"1", "2", "3"});
  CHECK(values("1..8+3") == Values{"1", "4", "7"});
  CHECK(values("-2..2+2") == Values{"-2", "0", "2"});
  CHECK(values("128..1024*2") == Values{"128", "256", "512", "1024"});
  CHECK(values("128..1023*2") == Values{"128", "256", "512"});
  CHECK(values("1,4..16*2,100") == Values{"1", "4", "8", "16", "100"});
  CHECK(values("9223372036854775806..9223372036854775807") ==
        Values{"9223372036854775806", "9223372036854775807"});
}

TEST_CASE("values that are not numbers", "[sweep]") {
  CHECK(parse_parameter("mount.data=ordered,journal").values == Values{"ordered", "journal"});
  CHECK(parse_parameter("kernel.profile=6.18,../a..b.toml").values ==
        Values{"6.18", "../a..b.toml"});
  CHECK(parse_parameter("filesystem.features=[\"a\",\"b\"],[\"a\"]").values ==
        Values{"[\"a\",\"b\"]", "[\"a\"]"});
}

TEST_CASE("what cannot be meant is refused", "[sweep]") {
  CHECK(message("range_tracking.max_rages=1") ==
        "-p range_tracking.max_rages=1: unknown key 'max_rages' in [range_tracking]; did you mean "
        "'max_ranges'?");
  CHECK(message("rangetracking.x=1").find("unknown table [rangetracking]; did you mean") !=
        std::string::npos);
  CHECK(message("max_ranges=1") == "-p max_ranges=1: expected table.key=values");
  for (const char* range : {"1..", "4..2", "1..8*1", "0..8*2", "1..8+0", "1..8-1", "1..x"})
    CHECK_FALSE(message(std::string("range_tracking.max_ranges=") + range).empty());
  CHECK(message("range_tracking.max_ranges=1,,2").ends_with("a value is missing"));
  CHECK(message("range_tracking.max_ranges=").ends_with("a value is missing"));
  CHECK(message("range_tracking.max_ranges=0..2000000").ends_with("more than 1000000 values"));
}
