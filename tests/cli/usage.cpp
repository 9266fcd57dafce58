// Does the command keep its promises about statuses, streams and messages?
#include <cstdlib>
#include <fstream>

#include "tests/catch.h"
#include "tests/cli/helper.h"

using fcsim::test::run;

TEST_CASE("usage errors are status 2 and say so on standard error", "[cli]") {
  for (const char* arguments : {"",
                                "run",
                                "validate",
                                "frobnicate",
                                "run --no-such-option x",
                                "run -f yaml tests/bundles/creat",
                                "run -j 0 tests/bundles/creat",
                                "workload no-such",
                                "workload append-fsync",
                                "workload append-fsync --span 1 -f strace",
                                "sweep",
                                "sweep tests/bundles/creat",
                                "sweep tests/bundles/creat -c - -p mount.sync=true",
                                "compare",
                                "compare tests/bundles/creat",
                                "tune",
                                "explain",
                                "fit",
                                "fit -f yaml tests/bundles/creat",
                                "explain tests/bundles/creat --cause no-such",
                                "explain tests/bundles/creat -c -",
                                "explain tests/bundles/creat -f perfetto --limit 1"}) {
    INFO(arguments);
    const auto outcome = fcsim::test::run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK(outcome.errors.starts_with("fcsim: "));
  }
}

TEST_CASE("a misspelled word gets a suggestion", "[cli]") {
  CHECK(fcsim::test::run("explian x")
            .errors.starts_with("fcsim: there is no command 'explian'; did you mean 'explain'?\n"));
  CHECK(fcsim::test::run("frobnicate")
            .errors.starts_with("fcsim: there is no command 'frobnicate'\n"));
  CHECK(fcsim::test::run("run tests/bundles/creat --timming closed")
            .errors.starts_with(
                "fcsim: the argument '--timming' was not expected; did you mean '--timing'?\n"));
  CHECK(fcsim::test::run("").errors.starts_with("fcsim: expected a command\n"));
}

TEST_CASE("help and version are not errors", "[cli]") {
  CHECK(fcsim::test::run("--help").status == 0);
  CHECK(fcsim::test::run("run --help").output.find("--mount-point") != std::string::npos);
  CHECK(fcsim::test::run("--version").output.starts_with("fcsim 0."));
}

TEST_CASE("input errors are status 1 and name the place", "[cli]") {
  const auto missing = fcsim::test::run("run no/such/file");
  CHECK(missing.status == 1);
  CHECK(missing.output.empty());
  CHECK(missing.errors.find("no/such/file") != std::string::npos);
  CHECK(fcsim::test::run("validate tests/golden-nothing").status == 1);
}

TEST_CASE("an option's value that cannot be used is status 2 and is named", "[cli]") {
  const auto setting = fcsim::test::run("run tests/bundles/creat --set mount.date=ordered");
  CHECK(setting.status == 2);
  CHECK(setting.errors ==
        "fcsim: --set mount.date=ordered: unknown key 'date' in [mount]; did you mean 'data'?\n");
  const auto profile = fcsim::test::run("run tests/bundles/creat -k 2.4");
  CHECK(profile.status == 2);
  CHECK(profile.errors.starts_with("fcsim: -k: there is no kernel profile '2.4'; known are "));
  CHECK(fcsim::test::run("sweep tests/bundles/creat -p x").status == 2);
  CHECK(fcsim::test::run("explain tests/bundles/creat --limit -3").status == 2);
}

TEST_CASE("a grid whose points are all refused is status 1", "[cli]") {
  const auto refused =
      fcsim::test::run("sweep tests/bundles/creat -p filesystem.fast_commit_kib=99999999");
  CHECK(refused.status == 1);
  CHECK(refused.errors == "fcsim: every point of the grid was refused\n");
}

TEST_CASE("a tune of standard input is that of the file", "[cli]") {
  const std::string options = " --mount-point /mnt/creat";
  const std::string trace = "tests/bundles/creat/trace.strace.zst";
  CHECK(fcsim::test::run("tune -" + options, "cat " + trace + " |").output ==
        fcsim::test::run("tune " + trace + options).output);
}

TEST_CASE("a full disk is noticed", "[cli]") {
  const auto outcome = fcsim::test::run("run tests/bundles/creat >/dev/full");
  CHECK(outcome.status == 1);
  CHECK(outcome.errors == "fcsim: standard output: No space left on device\n");
}

TEST_CASE("-k help lists the profiles", "[cli]") {
  const auto outcome = fcsim::test::run("run -k help");
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find(" Linux 6.18: ") != std::string::npos);
}

TEST_CASE("profiles are found through FCSIM_CONFIG_DIR first", "[cli]") {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/cli-configs";
  const auto outcome = fcsim::test::run(
      "run -k help", "mkdir -p '" + folder + "/kernels' && printf 'summary = \"mine\"\\n' > '" +
                         folder + "/kernels/6.18.toml' && FCSIM_CONFIG_DIR='" + folder + "'");
  CHECK(outcome.output.find(" mine\n") != std::string::npos);
}

TEST_CASE("adding a kernel takes one file and no rebuild", "[cli]") {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/new-kernel";
  const std::string in_folder = "FCSIM_CONFIG_DIR='" + folder + "'";
  REQUIRE(std::system(("mkdir -p '" + folder + "/kernels'").c_str()) == 0);
  std::ofstream(folder + "/kernels/9.9-quiet.toml")
      << "summary = \"6.18 with xattr calls that mark nothing\"\n"
         "inherits = \"6.18\"\n"
         "[ineligible]\n"
         "xattr_inner = 0\n"
         "xattr_outer = 0\n";
  const auto list = fcsim::test::run("run -k help", in_folder);
  CHECK(list.output.find("9.9-quiet") != std::string::npos);
  CHECK(list.output.find("6.18 with xattr calls that mark nothing\n") != std::string::npos);
  const auto before = fcsim::test::run("run tests/bundles/setxattr");
  const auto after = fcsim::test::run("run tests/bundles/setxattr -k 9.9-quiet", in_folder);
  CHECK(before.output.find("kernel rules: 6.18\n") != std::string::npos);
  CHECK(before.output.find("Extended attributes changed") != std::string::npos);
  CHECK(after.output.find("kernel rules: 9.9-quiet\n") != std::string::npos);
  CHECK(after.output.find("Extended attributes changed") == std::string::npos);
  const auto by_path =
      fcsim::test::run("run tests/bundles/setxattr -k '" + folder + "/kernels/9.9-quiet.toml'");
  CHECK(by_path.output.substr(0, by_path.output.find('\n')) ==
        after.output.substr(0, after.output.find('\n')));
}

TEST_CASE("options between arguments take one value each", "[cli]") {
  const auto outcome = fcsim::test::run(
      "run --set mount.commit_interval_s=9 -c tests/bundles/unlink/env.toml "
      "tests/bundles/creat -f json");
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find("\"mount_point\": \"/mnt/unlink\"") != std::string::npos);
}
