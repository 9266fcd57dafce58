// Does each rule in docs/model.md name its source, how sure it is, and a test that exists?
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/console.h"

namespace fs = std::filesystem;
using namespace fcsim;

namespace {

const std::string kTests = FCSIM_SOURCE_DIR "/tests";
const std::string kLargerSet = FCSIM_SOURCE_DIR "/../shared/corpus";

std::vector<std::string> split(const std::string& text, const std::string& separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    std::string part = text.substr(begin, end - begin);
    while (part.starts_with(' ')) part.erase(0, 1);
    while (part.ends_with(' ')) part.pop_back();
    if (!part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

// The cells of the tables' rows, less their heads.
std::vector<std::vector<std::string>> rules() {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(test::read_file(FCSIM_SOURCE_DIR "/docs/model.md"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| ") && !line.starts_with("| rule |")) rows.push_back(split(line, "|"));
  return rows;
}

bool has_tests(const fs::path& file) {
  return fs::is_regular_file(file) &&
         test::read_file(file.string()).find("TEST_CASE(") != std::string::npos;
}

// "creat-cold" of those in the source tree; "kernels/6.1/acl" or "patched/snapshot/*" of the larger
// set, which need not be there.
bool is_recording(std::string name) {
  if (name.ends_with("/*")) name.resize(name.size() - 2);
  if (name.find('/') == std::string::npos) return fs::is_directory(kTests + "/bundles/" + name);
  return !fs::is_directory(kLargerSet) || fs::is_directory(kLargerSet + "/" + name);
}

bool exists(const std::string& test) {
  if (test.starts_with("none")) return true;
  const std::size_t slash = test.find('/');
  if (slash == std::string::npos) return fs::is_directory(kTests + "/" + test);
  if (has_tests(kTests + "/" + test + ".cpp")) return true;
  return test.starts_with("corpus/") && is_recording(test.substr(slash + 1));
}

}  // namespace

TEST_CASE("each rule of the model names tests that exist", "[manual]") {
  const auto rows = rules();
  CHECK(rows.size() >= 50);
  for (const std::vector<std::string>& row : rows) {
    INFO(row.front());
    REQUIRE(row.size() == 4);
    const bool known =
        row[2].starts_with("run") || row[2].starts_with("read") || row[2].starts_with("sketch");
    CHECK(known);
    for (const std::string& test : split(row[3], ",;")) {
      INFO(test);
      CHECK(exists(test));
    }
  }
}
