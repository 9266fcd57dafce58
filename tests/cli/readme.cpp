// Do the commands in README.md print what README.md shows? `./dev readme` puts it right.
#include <cstdio>
#include <sstream>
#include <vector>

#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace {

struct Example {
  std::string command;
  std::string output;
};

// The "$ command" lines of console blocks, each with the lines up to the next one.
std::vector<Example> examples(const std::string& file) {
  std::vector<Example> found;
  std::istringstream lines(fcsim::test::read_file(file));
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_block = line == "```console";
    } else if (in_block && line.starts_with("$ ")) {
      found.push_back({line.substr(2), ""});
    } else if (in_block && !found.empty()) {
      found.back().output += line + "\n";
    }
  }
  return found;
}

std::string output_of(const std::string& command) {
  const std::string line =
      "cd '" FCSIM_SOURCE_DIR "' && PATH='" FCSIM_BINARY_DIR "':$PATH; " + command;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;)
    output.append(buffer, count);
  pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("README shows what the commands print", "[cli]") {
  const std::vector<Example> found = examples(std::string(FCSIM_SOURCE_DIR) + "/README.md");
  CHECK(found.size() >= 4);
  for (const Example& example : found) {
    INFO(example.command);
    CHECK(output_of(example.command) == example.output);
  }
}
