// Is a point of a grid the same, byte for byte, as a run of its own?
#include "model/common/error.h"
#include "sim/report/sweep_report.h"
#include "tests/catch.h"
#include "tests/sweep/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

questions::sweep::Sweep sweep(const std::string& input, const std::vector<std::string>& parameters,
                              unsigned threads = 2) {
  questions::sweep::SweepRequest request;
  request.common.inputs = {input};
  request.common.threads = threads;
  request.configuration = configured();
  for (const std::string& parameter : parameters)
    request.parameters.push_back(questions::sweep::parse_parameter(parameter));
  return questions::sweep::sweep(request);
}

const std::vector<std::string> kGrid = {"filesystem.fast_commit_kib=0,1,64..512*2,99999999",
                                        "mount.commit_interval_s=1,5",
                                        "kernel.profile=6.1,6.18,7.2-disjoint"};

void check_rows(const std::string& input) {
  INFO(input);
  const questions::sweep::Sweep result = sweep(input, kGrid);
  REQUIRE(result.rows.size() == 7 * 2 * 3);
  std::size_t refused = 0;
  for (const questions::sweep::SweepRow& row : result.rows) {
    std::vector<std::string> settings;
    for (std::size_t i = 0; i < result.keys.size(); ++i)
      settings.push_back(result.keys[i] + "=" + row.values[i]);
    const std::string alone = run_json(input, settings);
    if (row.outcome.error) {
      ++refused;
      CHECK(alone == "error: " + replay::message_of(row.outcome.error));
    } else {
      CHECK(alone == report::json_report(row.outcome.configuration, row.outcome.prediction));
    }
  }
  CHECK(refused == 6);
}

}  // namespace

TEST_CASE("each point is a run of its own", "[sweep]") {
  for (const char* name : {"creat", "setxattr", "mt-append-2", "rfc-sparse-r4", "wb-rewrite-1s"})
    check_rows(bundle(name));
}

TEST_CASE("on the corpus too", "[sweep][corpus]") {
  for (const std::string& input : corpus_bundles()) check_rows(input);
}

TEST_CASE("the number of threads changes nothing", "[sweep]") {
  for (const char* name : {"art-fc128", "mt-append-2"}) {
    const questions::sweep::Sweep one = sweep(bundle(name), kGrid, 1);
    for (const unsigned threads : {2U, 3U, 16U}) {
      const questions::sweep::Sweep many = sweep(bundle(name), kGrid, threads);
      CHECK(report::sweep_json(one) == report::sweep_json(many));
      CHECK(report::sweep_csv(one) == report::sweep_csv(many));
      CHECK(text_of(report::sweep_document(one), {}) == text_of(report::sweep_document(many), {}));
    }
  }
}

TEST_CASE("configurations that need another decoding get it", "[sweep]") {
  const std::vector<std::string> parameters = {"trace.mount_point=/mnt/creat,/mnt/elsewhere"};
  const questions::sweep::Sweep result = sweep(bundle("creat"), parameters);
  REQUIRE(result.rows.size() == 2);
  for (const questions::sweep::SweepRow& row : result.rows)
    CHECK(report::json_report(row.outcome.configuration, row.outcome.prediction) ==
          run_json(bundle("creat"), {"trace.mount_point=" + row.values[0]}));
}

TEST_CASE("the text says what is refused, what mke2fs makes of sizes, and what happened",
          "[sweep]") {
  const std::string text =
      text_of(report::sweep_document(
                  sweep(bundle("art-fc128"), {"filesystem.fast_commit_kib=1,512,99999999"})),
              {});
  CHECK(text ==
        "filesystem.fast_commit_kib  commits  ineligible  numblks  transactions  blocks_logged  "
        "first_commit  area_full\n"
        "                         1     5977          24     5977            24            122  "
        "           1         23\n"
        "                       512     5954          47     5954            47            237  "
        "           1         46\n"
        "                  99999999  refused: --set filesystem.fast_commit_kib=99999999: mke2fs "
        "refuses a fast-commit area of 99999999 KiB here: the journal would exceed half of the "
        "file system\n"
        "\n"
        "Notes\n"
        "  - fast_commit_kib = 1: area of 0 blocks, journal of 8192 blocks\n"
        "  - fast_commit_kib: less than one block is stored as 0, which the kernel reads as its "
        "default area, taken out of the journal\n"
        "  - fast_commit_kib = 512: area of 128 blocks, journal of 8320 blocks\n");
}

TEST_CASE("CSV has a column for every counter and none out of place", "[sweep]") {
  const std::string csv = report::sweep_csv(
      sweep(bundle("creat"), {"kernel.profile=6.18,7.2,none", "mount.data=ordered"}));
  const auto columns = [](const std::string& line) {
    std::size_t count = 1;
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) ++count;
    }
    return count;
  };
  std::size_t lines = 0;
  std::size_t wanted = 0;
  for (std::size_t begin = 0; begin < csv.size(); ++lines) {
    const std::size_t end = csv.find('\n', begin);
    const std::size_t found = columns(csv.substr(begin, end - begin));
    if (lines == 0) wanted = found;
    CHECK(found == wanted);
    begin = end + 1;
  }
  CHECK(lines == 4);
  CHECK(csv.starts_with("kernel.profile,mount.data,error,notes,fc_info.commits,"));
}

TEST_CASE("a grid that cannot be meant is refused", "[sweep]") {
  CHECK_THROWS_AS(
      sweep(bundle("creat"), {"mount.commit_interval_s=1", "mount.commit_interval_s=2"}),
      model::InputError);
  CHECK_THROWS_AS(sweep(bundle("creat"),
                        {"mount.commit_interval_s=1..2000", "range_tracking.max_ranges=1..2000"}),
                  model::InputError);
}
