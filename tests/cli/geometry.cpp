// Does `fcsim geometry` keep the command's promises about statuses and streams?
#include "tests/catch.h"
#include "tests/cli/helper.h"

using fcsim::test::run;

namespace {

const std::string kText = "tests/geometry/data/unclean.dumpe2fs";

// The image, unpacked where the tests write.
std::string image() {
  const std::string path = std::string(FCSIM_BINARY_DIR) + "/test-files/cli-geometry.img";
  fcsim::test::run("--version >/dev/null; mkdir -p \"$(dirname '" + path +
                   "')\"; zstd -dqf tests/geometry/data/unclean.img.zst -o '" + path + "'; true");
  return "'" + path + "'";
}

}  // namespace

TEST_CASE("geometry's forms", "[cli]") {
  const auto text = fcsim::test::run("geometry " + kText);
  CHECK(text.status == 0);
  CHECK(text.output.starts_with("# fast commit: active"));
  CHECK(fcsim::test::run("geometry -", "cat " + kText + " |").output == text.output);
  const auto toml = fcsim::test::run("geometry -f toml " + kText);
  CHECK(toml.output.starts_with("[filesystem]\ntype = \"ext4\"\nblock_size = 1024\n"));
  CHECK(fcsim::test::run("geometry -f json " + kText).output.find("\"usable_blocks\": 15") !=
        std::string::npos);
}

TEST_CASE("run takes geometry's output as its configuration", "[cli]") {
  const auto outcome = fcsim::test::run(
      "run tests/bundles/creat/trace.strace.zst --mount-point /mnt/creat -c - -f json",
      "'" + fcsim::test::command() + "' geometry " + kText + " |");
  CHECK(outcome.status == 0);
  CHECK(outcome.output.find("\"fast_commit_blocks\": 16") != std::string::npos);
}

TEST_CASE("geometry lists a journal, and damage is status 1", "[cli]") {
  const std::string path = image();
  const auto good = fcsim::test::run("geometry --log " + path);
  CHECK(good.status == 0);
  CHECK(good.output.find("7 fast commits that recovery would apply") != std::string::npos);
  CHECK(fcsim::test::run("geometry --log -f json " + path)
            .output.starts_with("{\"log\": [\n{\"block\": 0,"));
  const auto whole = fcsim::test::run("geometry --whole-log " + path);
  CHECK(whole.status == 0);
  const auto no_image = fcsim::test::run("geometry --log " + kText);
  CHECK(no_image.status == 1);
  CHECK(fcsim::test::run("geometry --log -f toml " + path).status == 2);
  CHECK(fcsim::test::run("geometry").status == 2);
  CHECK(fcsim::test::run("geometry no/such/image").status == 1);
}
