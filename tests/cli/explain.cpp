// Are the forms of `fcsim explain` what they promise, whatever the input comes from?
#include "tests/catch.h"
#include "tests/cli/golden.h"
#include "tests/cli/helper.h"

using fcsim::test::check_golden;
using fcsim::test::run;

TEST_CASE("golden explanations of each form", "[cli]") {
  for (const char* format : {"text", "json", "csv"}) {
    const auto outcome =
        fcsim::test::run(std::string("explain tests/bundles/setxattr --limit 4 -f ") + format);
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    fcsim::test::check_golden(std::string("explain-setxattr.") + format, outcome.output);
  }
  for (const char* bundle : {"wb-write-40s", "art-unlink-dir", "mo-dirsync", "art-fc128"})
    fcsim::test::check_golden(
        std::string("explain-") + bundle + ".text",
        fcsim::test::run(std::string("explain --fast --limit 40 tests/bundles/") + bundle).output);
  fcsim::test::check_golden(
      "explain-wb-commit1-nofsync.perfetto",
      fcsim::test::run("explain tests/bundles/wb-commit1-nofsync -f perfetto").output);
}

TEST_CASE("an explanation has the same bytes for any number of threads", "[cli]") {
  for (const char* format : {"text", "json", "csv", "perfetto"}) {
    const std::string arguments = std::string("explain tests/bundles/mt-append-2 -f ") + format;
    CHECK(fcsim::test::run(arguments + " -j 1").output ==
          fcsim::test::run(arguments + " -j 2").output);
  }
}

TEST_CASE("standard input is explained like a file", "[cli]") {
  const std::string options = " --mount-point /mnt/setxattr -f csv";
  const std::string trace = "tests/bundles/setxattr/trace.strace.zst";
  std::string file = fcsim::test::run("explain " + trace + options).output;
  CHECK(file.find(trace) != std::string::npos);
  for (std::size_t at; (at = file.find(trace)) != std::string::npos;)
    file.replace(at, trace.size(), "standard input");
  CHECK(fcsim::test::run("explain -" + options, "cat " + trace + " |").output == file);
  CHECK(fcsim::test::run("explain -" + options, "zstd -dcq " + trace + " |").output == file);
}
