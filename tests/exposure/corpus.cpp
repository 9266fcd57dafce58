// The predictions beside recordings of real cuts: floors that the figures must not fall below.
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/console.h"

using namespace fcsim;

namespace {

struct Figure {
  double right = 0, all = 0;
};

// What tests/exposure/check_corpus.py prints.
std::map<std::string, Figure> figures_of(const std::string& text) {
  std::map<std::string, Figure> figures;
  std::istringstream lines(text);
  std::string name;
  Figure figure;
  while (lines >> name >> figure.right >> figure.all) figures[name] = figure;
  return figures;
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;)
    text.append(buffer, n);
  REQUIRE(pclose(pipe) == 0);
  return text;
}

}  // namespace


TEST_CASE("predicted and recorded cuts", "[exposure][shared]") {
  const std::string shared = std::string(FCSIM_SOURCE_DIR) + "/../shared";
  SKIP_IF(!std::filesystem::exists(shared + "/corpus-crash") ? "../shared/corpus-crash is missing"
                                                             : "");
  const std::string text =
      output_of("python3 '" FCSIM_SOURCE_DIR "/tests/exposure/check_corpus.py' '" +
                test::command() + "' '" + shared + "/corpus-crash' '" + shared + "/oracle'");
  std::printf("%s", text.c_str());
  const auto figures = figures_of(text);
  const auto share = [&](const char* name) {
    const auto found = figures.find(name);
    REQUIRE(found != figures.end());
    REQUIRE(found->second.all > 0);
    return found->second.right / found->second.all;
  };
  CHECK(share("points") >= 0.754);
  CHECK(share("possible") >= 1.0);
}
