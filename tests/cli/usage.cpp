// Does the command keep its promises about statuses, streams and messages?
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
    const auto outcome = run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK(outcome.errors.starts_with("fcsim: "));
  }
}

TEST_CASE("help and version are no errors", "[cli]") {
  CHECK(run("--help").status == 0);
  CHECK(run("run --help").output.find("--mount-point") != std::string::npos);
  CHECK(run("--version").output.starts_with("fcsim 0."));
}

TEST_CASE("input errors are status 1 and name the place", "[cli]") {
  const auto missing = run("run no/such/file");
  CHECK(missing.status == 1);
  CHECK(missing.output.empty());
  CHECK(missing.errors.find("no/such/file") != std::string::npos);
  const auto setting = run("run tests/bundles/creat --set mount.date=ordered");
  CHECK(setting.status == 1);
  CHECK(setting.errors ==
        "fcsim: --set mount.date=ordered: unknown key 'date' in [mount]; did you mean 'data'?\n");
  const auto profile = run("run tests/bundles/creat -k 2.4");
  CHECK(profile.status == 1);
  CHECK(profile.errors.starts_with("fcsim: -k: there is no kernel profile '2.4'; known are "));
  CHECK(run("validate tests/golden-nothing").status == 1);
}

TEST_CASE("a full disk is noticed", "[cli]") {
  const auto outcome = run("run tests/bundles/creat >/dev/full");
  CHECK(outcome.status == 1);
  CHECK(outcome.errors == "fcsim: standard output: No space left on device\n");
}

TEST_CASE("-k help lists the profiles", "[cli]") {
  const auto outcome = run("run -k help");
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find(" Linux 6.18: ") != std::string::npos);
}

TEST_CASE("profiles are found through FCSIM_CONFIG_DIR first", "[cli]") {
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/cli-configs";
  const auto outcome =
      run("run -k help", "mkdir -p '" + folder + "/kernels' && printf 'summary = \"mine\"\\n' > '" +
                             folder + "/kernels/6.18.toml' && FCSIM_CONFIG_DIR='" + folder + "'");
  CHECK(outcome.output.find(" mine\n") != std::string::npos);
}

TEST_CASE("options between arguments take one value each", "[cli]") {
  const auto outcome =
      run("run --set mount.commit_interval_s=9 -c tests/bundles/unlink/env.toml "
          "tests/bundles/creat -f json");
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find("\"mount_point\" : \"/mnt/unlink\"") != std::string::npos);
}
