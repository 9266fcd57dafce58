// Do the man page and the completions work in the programs that read them?
#include "tests/catch.h"
#include "tests/console.h"

using namespace fcsim;

namespace {

// "" where the program is installed.
std::string lacks(const std::string& program) {
  return test::console_output(FCSIM_SOURCE_DIR, "command -v " + program).empty()
             ? program + " is not installed"
             : "";
}

// The words that bash offers for the last of `words`.
std::string completed(const std::string& words) {
  return test::console_output(FCSIM_SOURCE_DIR,
                              "bash --norc -c '. completions/fcsim.bash; COMP_WORDS=(" + words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fcsim; printf "
                                  "\"%s\\n\" \"${COMPREPLY[@]}\"'");
}

}  // namespace

TEST_CASE("the man page is set without warnings", "[manual][programs]") {
  SKIP_IF(lacks("groff"));
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "groff -ww -man -Tutf8 -z docs/man/fcsim.1") == "");
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "groff -man -Tascii docs/man/fcsim.1")
            .find("fast_commit_kib") != std::string::npos);
}

TEST_CASE("bash completes commands, options, values, profiles and files", "[manual][programs]") {
  SKIP_IF(lacks("bash"));
  CHECK(completed("fcsim sw") == "sweep\n");
  CHECK(completed("fcsim sweep --para") == "--parameter\n");
  CHECK(completed("fcsim run -f j") == "json\n");
  CHECK(completed("fcsim run -k 7.2-") == "7.2-disjoint\n");
  CHECK(completed("fcsim run READ") == "README.md\n");
  CHECK(completed("fcsim help conf") == "configuration\n");
}

TEST_CASE("zsh reads its completions", "[manual][programs]") {
  SKIP_IF(lacks("zsh"));
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "zsh -n completions/_fcsim") == "");
}

TEST_CASE("fish reads its completions", "[manual][programs]") {
  SKIP_IF(lacks("fish"));
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "fish -n completions/fcsim.fish") == "");
}
