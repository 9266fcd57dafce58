// Inputs that attacks and fuzzing found, kept beside the source tree: each has its answer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/configuration/document.h"
#include "sim/machine/truth.h"
#include "sim/questions/scenario/scenario.h"
#include "sim/support/utf8.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"
#include "tests/robustness/helper.h"

using namespace fcsim;
using fcsim::test::error_of;

namespace {

namespace fs = std::filesystem;

const std::string kFindings = FCSIM_SOURCE_DIR "/../shared/findings/robustness/";

std::string no_findings() {
  return fs::is_directory(kFindings) ? "" : "there is no folder ../shared/findings/robustness";
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kFindings + folder))
    if (entry.path().filename() != "README") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// What a terminal would not take as text.
bool has_controls(const std::string& text) {
  std::string lines = text;
  std::erase(lines, '\n');
  return support::printable(lines) != lines;
}

}  // namespace

TEST_CASE("found: escapes in names reach neither a terminal nor a file", "[robustness][shared]") {
  SKIP_IF(no_findings());
  const std::string input = "'" + kFindings + "explain-escapes/esc.strace' -c '" + kFindings +
                            "explain-escapes/env.toml'";
  for (const std::string question : {"run", "explain"})
    for (const std::string form : {"text", "markdown", "json", "csv"}) {
      const auto outcome = test::run(question + " " + input + " -f " + form);
      INFO(question << " " << form);
      CHECK(outcome.status == 0);
      CHECK_FALSE(has_controls(outcome.output));
      CHECK_FALSE(has_controls(outcome.errors));
      if (form == "json") CHECK(nlohmann::json::accept(outcome.output));
    }
  const auto perfetto = test::run("explain " + input + " -f perfetto");
  CHECK(nlohmann::json::accept(perfetto.output));
  const auto missing = test::run("run /nowhere/$'a\\033[2J\\377'");
  CHECK(missing.status == 1);
  CHECK_FALSE(has_controls(missing.errors));
}

TEST_CASE("found: TOML that hurt its parser is an error with a position", "[robustness][shared]") {
  SKIP_IF(no_findings());
  for (const std::string folder : {"toml-deep", "toml-unreachable"})
    for (const std::string& file : files_of(folder)) {
      INFO(file);
      CHECK(error_of([&] { (void)configuration::read_document(file); }).starts_with(file + ":"));
    }
}

TEST_CASE("found: times of a truth that do not fit", "[robustness][shared]") {
  SKIP_IF(no_findings());
  for (const std::string& file : files_of("truth-overflow")) {
    INFO(file);
    CHECK_FALSE(error_of([&] { (void)machine::read_truth(file); }).empty());
  }
}

TEST_CASE("found: a scenario's name that is too long", "[robustness][shared]") {
  SKIP_IF(no_findings());
  for (const std::string& file : files_of("scenario-abort")) {
    INFO(file);
    CHECK(error_of([&] { (void)questions::scenario::read_scenario(file); }).starts_with(file));
  }
}

TEST_CASE("found: a hundred thousand calls that are not finished", "[robustness][shared]") {
  SKIP_IF(no_findings());
  const auto outcome = test::run("run -q -c bench/growth.toml '" + kFindings +
                                     "quadratic-unfinished/unfinished-100k.strace.zst'",
                                 "ulimit -t 20;");  // it was 9.5 s, and 0.5 s now
  CHECK(outcome.status == 0);
}

TEST_CASE("an image cannot make its reader take memory", "[robustness][programs]") {
  SKIP_IF(std::system("mke2fs -V >/dev/null 2>&1 && debugfs -V >/dev/null 2>&1") == 0
              ? ""
              : "mke2fs or debugfs is missing");
  const std::string folder = std::string(FCSIM_BINARY_DIR) + "/test-files/image-memory";
  fs::remove_all(folder);
  fs::create_directories(folder);
  // The map of the journal's blocks leads back to itself: it claims each block of 512 GiB.
  std::ofstream(folder + "/fold.py") <<
      R"(import re, struct, subprocess, sys
path = sys.argv[1]
subprocess.run(['truncate', '-s', str(4096 << 27), path], check=True)
subprocess.run(['mke2fs', '-q', '-F', '-t', 'ext4', '-b', '4096', '-O',
                '^metadata_csum,^extent,^64bit,^flex_bg,^resize_inode,^huge_file', '-E',
                'lazy_itable_init=1,lazy_journal_init=1,nodiscard', '-N', '65536', path], check=True)
place = subprocess.run(['debugfs', '-R', 'imap <8>', path], capture_output=True, text=True).stdout
found = re.search(r'located at block (\d+), offset (0x[0-9a-f]+)', place)
at = int(found.group(1)) * 4096 + int(found.group(2), 16)
with open(path, 'r+b') as image:
    image.seek(at + 40)
    blocks = list(struct.unpack('<15I', image.read(60)))
    fold = blocks[13] or blocks[12]
    image.seek(fold * 4096)
    image.write(struct.pack('<I', fold) * 1024)
    blocks[12] = blocks[13] = blocks[14] = fold
    image.seek(at + 40)
    image.write(struct.pack('<15I', *blocks))
)";
  const std::string made = "python3 '" + folder + "/fold.py' '" + folder + "/i' 2>/dev/null;";
  const auto outcome = test::run("geometry '" + folder + "/i'", made + " ulimit -v 400000;");
  INFO(outcome.output << outcome.errors);
  fs::remove_all(folder);
  CHECK(outcome.status <= 1);
  CHECK(outcome.errors.find("out of memory") == std::string::npos);
}
