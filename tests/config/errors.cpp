// Does every fault in a configuration name its place, and say what was expected?
#include "tests/catch.h"
#include "tests/config/helper.h"

using fcsim::test::error_of;
using fcsim::test::error_of_setting;

TEST_CASE("unknown keys name the nearest known one", "[config]") {
  CHECK(fcsim::test::error_of("[filesystem]\njournal_block = 1\n") ==
        "t.toml:2:1: unknown key 'journal_block' in [filesystem]; did you mean 'journal_blocks'?");
  CHECK(fcsim::test::error_of("[mount]\n  comit_interval_s = 1\n") ==
        "t.toml:2:3: unknown key 'comit_interval_s' in [mount]; did you mean 'commit_interval_s'?");
  CHECK(fcsim::test::error_of("[mount]\nhz = 250\n") ==
        "t.toml:2:1: unknown key 'hz' in [mount]; it belongs in [kernel]");
  CHECK(fcsim::test::error_of("[mount]\nzzzzzzzzzz = 1\n") ==
        "t.toml:2:1: unknown key 'zzzzzzzzzz' in [mount]");
}

TEST_CASE("unknown tables name the nearest known one", "[config]") {
  CHECK(fcsim::test::error_of("[file_system]\nblock_size = 4096\n") ==
        "t.toml:1:1: unknown table [file_system]; did you mean [filesystem]?");
  CHECK(fcsim::test::error_of("block_size = 4096\n") ==
        "t.toml:1:1: unknown key 'block_size' outside of a table; it belongs in [filesystem]");
  CHECK(fcsim::test::error_of("inherits = \"6.18\"\n") ==
        "t.toml:1:1: unknown key 'inherits' outside of a table; this looks like a kernel profile, "
        "which -k takes");
}

TEST_CASE("wrong kinds say what was expected, with the unit", "[config]") {
  CHECK(fcsim::test::error_of("[filesystem]\nblock_size = \"4 KiB\"\n") ==
        "t.toml:2:1: 'block_size' in [filesystem] expects a power of two from 1024 to 65536 "
        "(bytes), found the string \"4 KiB\"");
  CHECK(fcsim::test::error_of("[mount]\ncommit_interval_s = 2.5\n") ==
        "t.toml:2:1: 'commit_interval_s' in [mount] expects an integer from 1 to 21474836 "
        "(seconds), found a number with a fraction");
  CHECK(fcsim::test::error_of("[mount]\nsync = 1\n") ==
        "t.toml:2:1: 'sync' in [mount] expects true or false, found the integer 1");
  CHECK(fcsim::test::error_of("[filesystem]\nfeatures = \"extent\"\n") ==
        "t.toml:2:1: 'features' in [filesystem] expects an array of strings, found the string "
        "\"extent\"");
}

TEST_CASE("values out of range are refused", "[config]") {
  CHECK(fcsim::test::error_of("[filesystem]\nblock_size = 3000\n") ==
        "t.toml:2:1: 'block_size' in [filesystem] expects a power of two from 1024 to 65536 "
        "(bytes), found the integer 3000");
  CHECK(
      fcsim::test::error_of("[mount]\ndata = \"journalled\"\n") ==
      "t.toml:2:1: 'data' in [mount] expects \"ordered\", \"writeback\" or \"journal\", found the "
      "string \"journalled\"");
  CHECK(
      fcsim::test::error_of("[writeback]\ndirty_ratio = 101\n") ==
      "t.toml:2:1: 'dirty_ratio' in [writeback] expects an integer from 0 to 100 (percent), found "
      "the integer 101");
  CHECK(fcsim::test::error_of("[range_tracking]\npolicy = \"two-spans\"\n") ==
        "t.toml:2:1: 'policy' in [range_tracking] expects \"single-span\", \"disjoint\" or "
        "\"unlimited\", found the string \"two-spans\"");
  CHECK(
      fcsim::test::error_of("[kernel]\nhz = 333\n")
          .ends_with(
              "t.toml:2:1: kernel.hz: expects 100, 250, 300 or 1000 (ticks a second), found 333"));
}

TEST_CASE("what is not TOML is refused with its place", "[config]") {
  CHECK(fcsim::test::error_of("[mount\nsync = true\n").starts_with("t.toml:1:"));
  CHECK(fcsim::test::error_of("[mount]\nsync = true\nsync = false\n").starts_with("t.toml:3:"));
}

TEST_CASE("a file that does not exist is named", "[config]") {
  try {
    fcsim::test::load_file("does/not/exist.toml");
    FAIL("no error");
  } catch (const fcsim::model::InputError& error) {
    CHECK(std::string(error.what()) == "does/not/exist.toml: cannot be read");
  }
}

TEST_CASE("settings are checked like files", "[config]") {
  CHECK(fcsim::test::error_of_setting("mount.data") ==
        "--set mount.data: expected table.key=value");
  CHECK(fcsim::test::error_of_setting("mount.date=ordered") ==
        "--set mount.date=ordered: unknown key 'date' in [mount]; did you mean 'data'?");
  CHECK(fcsim::test::error_of_setting("mont.data=ordered") ==
        "--set mont.data=ordered: unknown table [mont]; did you mean [mount]?");
  CHECK(fcsim::test::error_of_setting("filesystem.block_size=4k") ==
        "--set filesystem.block_size=4k: 'block_size' in [filesystem] expects a power of two from "
        "1024 to 65536 (bytes), found the string \"4k\"");
}

TEST_CASE("a journal that the kernel would not mount is refused", "[config]") {
  const std::string message = fcsim::test::error_of_setting("filesystem.journal_blocks=1100");
  CHECK(message.find("the kernel refuses to mount this") != std::string::npos);
}
