// Are the forms of `fcsim run` what they promise, and the same every time?
#include <sstream>

#include "tests/catch.h"
#include "tests/cli/golden.h"
#include "tests/cli/helper.h"

using fcsim::test::check_golden;
using fcsim::test::run;

TEST_CASE("golden output of each form", "[cli]") {
  for (const char* format : {"text", "markdown", "json", "csv", "kernel"}) {
    for (const char* bundle : {"art-fc128", "setxattr", "wb-rewrite-1s"}) {
      const auto outcome =
          fcsim::test::run(std::string("run tests/bundles/") + bundle + " -f " + format);
      CHECK(outcome.status == 0);
      CHECK(outcome.errors.empty());
      fcsim::test::check_golden(std::string(bundle) + "." + format, outcome.output);
    }
  }
}

TEST_CASE("same bytes twice", "[cli]") {
  for (const char* format : {"text", "markdown", "json", "csv", "kernel"}) {
    const std::string arguments = std::string("run tests/bundles/mt-append-2 -f ") + format;
    CHECK(fcsim::test::run(arguments).output == fcsim::test::run(arguments).output);
  }
}

TEST_CASE("the locale and the environment change nothing", "[cli]") {
  const std::string arguments = "run tests/bundles/creat -f json";
  CHECK(fcsim::test::run(arguments).output ==
        fcsim::test::run(arguments, "LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo NO_COLOR=1").output);
}

TEST_CASE("a pipe gets no escapes", "[cli]") {
  CHECK(fcsim::test::run("run tests/bundles/creat").output.find('\033') == std::string::npos);
}

TEST_CASE("standard input is a trace like any", "[cli]") {
  const std::string options = " --mount-point /mnt/creat -f csv";
  const std::string trace = "tests/bundles/creat/trace.strace.zst";
  const auto file = fcsim::test::run("run " + trace + options);
  CHECK(file.status == 0);
  CHECK(fcsim::test::run("run -" + options, "cat " + trace + " |").output == file.output);
  CHECK(fcsim::test::run("run -" + options, "zstd -dcq " + trace + " |").output == file.output);
}

TEST_CASE("the JSON form keeps its contract", "[cli]") {
  const std::string text = fcsim::test::run("run tests/bundles/art-fc128 -f json").output;

  for (const char* key :
       {"\"fc_info\"", "\"commits\"", "\"ineligible\"", "\"numblks\"", "\"reasons\"", "\"jbd2\"",
        "\"transactions\"", "\"requested\"", "\"blocks\"", "\"blocks_logged\"", "\"causes\"",
        "\"first_commit\"", "\"area_full\"", "\"sync_calls\"", "\"fsync\"", "\"config\"",
        "\"assumed\"", "\"unsupported\"", "\"Extended attributes changed\""}) {
    INFO(key);
    CHECK(text.find(key) != std::string::npos);
  }
  CHECK(text.ends_with("}\n"));
  CHECK(text.find("nan") == std::string::npos);
}

TEST_CASE("the answer says what range trackers cost in memory", "[cli]") {
  // One span: two block numbers. RFC: one range inline, pointer and count, and 17 ranges once there
  // is a second one.
  const std::string bundle = "run tests/bundles/rfc-sparse-r4 ";
  const std::string one = fcsim::test::run(bundle + "-f json").output;
  CHECK(one.find("\"bytes_of_one_inode_at_most\": 8}") != std::string::npos);
  const std::string disjoint = fcsim::test::run(bundle + "-k 7.2-disjoint -f json").output;
  CHECK(disjoint.find("\"bytes_of_one_inode_at_most\": 156}") != std::string::npos);
  const std::string text = fcsim::test::run(bundle + "-k 7.2-disjoint").output;
  CHECK(text.find("Memory of range trackers\n  bytes of an inode, at most          156") !=
        std::string::npos);
}

TEST_CASE("causes add up to the transactions", "[cli]") {
  for (const char* bundle : {"art-fc128", "setxattr", "creat-dir", "press-mkdir", "wb-write-40s"}) {
    const std::string csv =
        fcsim::test::run(std::string("run -f csv tests/bundles/") + bundle).output;
    std::uint64_t sum = 0;
    std::uint64_t transactions = 0;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t comma = line.rfind(',');
      if (line.starts_with("causes.")) sum += std::stoull(line.substr(comma + 1));
      if (line.starts_with("jbd2.transactions,"))
        transactions = std::stoull(line.substr(comma + 1));
    }
    INFO(bundle);
    CHECK(sum == transactions);
  }
}

TEST_CASE("several bundles have a row each", "[cli]") {
  const auto both =
      fcsim::test::run("run -f csv tests/bundles/setxattr tests/bundles/art-tune-area");
  CHECK(both.status == 0);
  CHECK(both.output.find("tests/bundles/setxattr,0,50,0,51,51") != std::string::npos);
  CHECK(fcsim::test::run("run -f kernel tests/bundles/setxattr tests/bundles/creat").status == 2);
}

TEST_CASE("a file given twice is refused", "[cli]") {
  const auto twice = fcsim::test::run(
      "run tests/wild/data/strace-n.strace tests/../tests/wild/data/strace-n.strace");
  CHECK(twice.status == 1);
  CHECK(twice.errors.find("given twice") != std::string::npos);
}
