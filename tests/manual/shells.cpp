// Do the man page and the completions work in the programs that read them?
#include <iostream>

#include "tests/catch.h"
#include "tests/console.h"

using namespace fcsim;

namespace {

// False, with the reason printed, where the program is not installed.
bool have(const std::string& program) {
  if (!test::console_output(FCSIM_SOURCE_DIR, "command -v " + program).empty()) return true;
  std::cout << "skipped: " << program << " is not installed\n";
  return false;
}

// The words that bash offers for the last of `words`.
std::string completed(const std::string& words) {
  return test::console_output(FCSIM_SOURCE_DIR,
                              "bash --norc -c '. completions/fcsim.bash; COMP_WORDS=(" + words +
                                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fcsim; printf "
                                  "\"%s\\n\" \"${COMPREPLY[@]}\"'");
}

}  // namespace

TEST_CASE("the man page is set without warnings", "[manual]") {
  if (!have("groff")) return;
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "groff -ww -man -Tutf8 -z docs/man/fcsim.1") == "");
  CHECK(test::console_output(FCSIM_SOURCE_DIR, "groff -man -Tascii docs/man/fcsim.1")
            .find("fast_commit_kib") != std::string::npos);
}

TEST_CASE("bash completes commands, options, values, profiles and files", "[manual]") {
  if (!have("bash")) return;
  CHECK(completed("fcsim sw") == "sweep\n");
  CHECK(completed("fcsim sweep --para") == "--parameter\n");
  CHECK(completed("fcsim run -f j") == "json\n");
  CHECK(completed("fcsim run -k 7.2-") == "7.2-disjoint\n");
  CHECK(completed("fcsim run READ") == "README.md\n");
  CHECK(completed("fcsim help conf") == "configuration\n");
}

TEST_CASE("zsh and fish read their completions", "[manual]") {
  if (have("zsh")) CHECK(test::console_output(FCSIM_SOURCE_DIR, "zsh -n completions/_fcsim") == "");
  if (have("fish"))
    CHECK(test::console_output(FCSIM_SOURCE_DIR, "fish -n completions/fcsim.fish") == "");
}
