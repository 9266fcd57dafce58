// Do the commands in README.md print what README.md shows? `./dev readme` puts it right.
#include "tests/catch.h"
#include "tests/console.h"

TEST_CASE("README shows what the commands print", "[cli]") {
  const auto examples = fcsim::test::console_examples(FCSIM_SOURCE_DIR "/README.md");
  CHECK(examples.size() >= 4);
  fcsim::test::check_console_examples("README.md", examples);
}
