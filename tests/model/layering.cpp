// Does model/ stand alone? It includes nothing of the layers above, prints nothing, opens no file,
// reads no clock, starts no thread, and compares no kernel version.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

struct Line {
  std::string place;
  std::string text;
};

std::vector<Line> lines_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = std::filesystem::path(FCSIM_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Line> lines;
  for (const auto& file : files) {
    std::ifstream stream(file);
    std::size_t number = 0;
    for (std::string text; std::getline(stream, text);)
      lines.push_back({file.string() + ":" + std::to_string(++number), text});
  }
  return lines;
}

std::vector<std::string> matches(const std::vector<Line>& lines, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (const Line& line : lines)
    if (std::regex_search(line.text, expression)) found.push_back(line.place + ": " + line.text);
  return found;
}

const std::vector<std::string> kNone;

}  // namespace

TEST_CASE("model includes nothing of traces or sim", "[layering]") {
  const std::vector<Line> lines = lines_of("model");
  REQUIRE_FALSE(lines.empty());
  CHECK(matches(lines, R"re(^\s*#\s*include\s*["<](sim|traces|tests|bench)/)re") == kNone);
}

TEST_CASE("model has no clock, files, printing or threads", "[layering]") {
  CHECK(
      matches(
          lines_of("model"),
          R"re(^\s*#\s*include\s*<(iostream|fstream|ostream|cstdio|stdio\.h|chrono|ctime|time\.h|thread|mutex|atomic|filesystem|unistd\.h)>)re") ==
      kNone);
}

TEST_CASE("traces includes nothing of sim", "[layering]") {
  CHECK(matches(lines_of("traces"), R"re(^\s*#\s*include\s*["<](sim|tests|bench)/)re") == kNone);
}

TEST_CASE("no kernel version is compared in code", "[layering]") {
  for (const char* folder : {"model", "traces", "sim"}) {
    CHECK(matches(lines_of(folder),
                  R"re(\b(release|profile|version)\w*\s*(==|!=|<=|>=|<|>)\s*"?\d)re") == kNone);
    CHECK(matches(lines_of(folder), R"re(KERNEL_VERSION|LINUX_VERSION)re") == kNone);
  }
}
