// Does a scenario that cannot be meant get an error with its place?
#include "tests/scenario/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::string kMount = "[[step]]\nmount = \"\"\n";

void check_complaint(const std::string& text, const std::string& expected) {
  INFO(text);
  CHECK(complaint_about(text).substr(0, expected.size()) == expected);
}

}  // namespace

TEST_CASE("unknown keys and values", "[scenario]") {
  check_complaint("[[step]]\nmont = \"\"\n",
                  "2:1: unknown key 'mont' in [[step]]; did you mean 'mount'?");
  check_complaint("mountpoint = \"/mnt\"\n" + kMount,
                  "1:1: unknown key 'mountpoint'; did you mean 'mount_point'?");
  check_complaint("[setup]\n" + kMount, "1:1: unknown table [setup]");
  check_complaint("[[step]]\n" + kMount, "1:1: an empty step");
  check_complaint("[[step]]\nmount = \"\"\numount = true\n", "3:1: a step is one thing");
  check_complaint("[[step]]\nmount = 3\n", "2:1: 'mount' expects a string, found the integer 3");
  check_complaint(kMount + "[[step]]\numount = false\n", "4:1: 'umount' expects true");
  check_complaint(kMount + "[[step]]\ndrop_caches = 4\n", "4:1: 'drop_caches' expects");
  check_complaint("mount_point = \"/mnt\"\n", "no [[step]]: no scenario");
}

TEST_CASE("a trace that is not there", "[scenario]") {
  check_complaint(
      kMount + "[[step]]\nrun = \"no-such-trace\"\n",
      "4:1: there is no trace or bundle '" + std::string(FCSIM_BINARY_DIR) + "/no-such-trace'");
}

TEST_CASE("steps that cannot follow each other", "[scenario]") {
  const std::string run = "[[step]]\nrun = \"" + bundle("creat") + "\"\n";
  check_complaint(run, "2:1: run: the file system is not mounted");
  check_complaint(kMount + "[[step]]\numount = true\n" + run,
                  "6:1: run: the file system is not mounted");
  check_complaint(kMount + kMount, "4:1: mount: the file system is mounted");
  check_complaint(kMount + "[[step]]\nmkfs = \"\"\n", "4:1: mkfs: the file system is mounted");
  check_complaint("[[step]]\numount = true\n", "2:1: umount: the file system is not mounted");
  check_complaint("[[step]]\nremount = \"\"\n", "2:1: remount: the file system is not mounted");
}

TEST_CASE("options that are not understood", "[scenario]") {
  check_complaint("[[step]]\nmount = \"comit=5\"\n",
                  "2:1: the mount option 'comit=5' is not understood");
  check_complaint("[[step]]\nmount = \"noatim\"\n",
                  "2:1: the mount option 'noatim' is not understood; did you mean 'noatime'?");
  check_complaint(kMount + "[[step]]\ntune2fs = \"-O ^has_journal\"\n",
                  "4:1: tune2fs: the journal can be removed only while the file system is not "
                  "mounted");
  check_complaint("[[step]]\ntune2fs = \"-O ^extent\"\n",
                  "2:1: tune2fs: '-O extent' is not understood");
  check_complaint("[[step]]\nmkfs = \"-O fast_comit\"\n",
                  "2:1: there is no feature 'fast_comit'; did you mean 'fast_commit'?");
  check_complaint("[[step]]\nmkfs = \"-T news\"\n", "2:1: mke2fs: '-T' is not understood");
  check_complaint("[[step]]\nmkfs = \"-O\"\n", "2:1: mke2fs: '-O' expects a value");
}
