// Does the manual show what the commands print, and name what exists? `./dev readme` puts both the
// examples and the generated files right.
#include <filesystem>
#include <set>

#include "tests/catch.h"
#include "tests/console.h"

namespace fs = std::filesystem;
using namespace fcsim;

namespace {

std::vector<std::string> documents() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(FCSIM_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

}  // namespace

TEST_CASE("docs show what the commands print", "[manual]") {
  std::size_t examples = 0;
  for (const std::string& name : documents()) {
    const auto found = test::console_examples(FCSIM_SOURCE_DIR "/docs/" + name);
    test::check_console_examples("docs/" + name, found);
    examples += found.size();
  }
  CHECK(examples >= 15);
}

TEST_CASE("the index names every document once", "[manual]") {
  const std::string index = test::read_file(FCSIM_SOURCE_DIR "/docs/README.md");
  for (const std::string& name : documents()) {
    if (name == "README.md") continue;
    INFO(name);
    const std::size_t first = index.find("](" + name + ")");
    CHECK(first != std::string::npos);
    CHECK(index.find("](" + name + ")", first + 1) == std::string::npos);
  }
}

TEST_CASE("files that the command prints are as it prints them", "[manual]") {
  const std::pair<const char*, const char*> files[] = {
      {"docs/configuration.md", "help configuration"},
      {"docs/counters.md", "help counters"},
      {"docs/man/fcsim.1", "help man"},
      {"completions/fcsim.bash", "help bash"},
      {"completions/_fcsim", "help zsh"},
      {"completions/fcsim.fish", "help fish"},
  };
  for (const auto& [file, arguments] : files) {
    INFO(file);
    const test::Outcome outcome = test::run(arguments);
    CHECK(outcome.status == 0);
    CHECK(outcome.output == test::read_file(std::string(FCSIM_SOURCE_DIR "/") + file));
  }
}

TEST_CASE("the help of a command is what --help prints", "[manual]") {
  CHECK(test::run("help sweep").output == test::run("sweep --help").output);
  CHECK(test::run("help sweep").output.find("Examples:\n  fcsim sweep ") != std::string::npos);
  const test::Outcome unknown = test::run("help swep");
  CHECK(unknown.status == 2);
  CHECK(unknown.output == "");
  CHECK(unknown.errors.find("found 'swep'") != std::string::npos);
}
