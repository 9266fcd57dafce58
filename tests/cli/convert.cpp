// Does `fcsim convert` leave a whole file or none, and do all commands take what it writes?
#include <unistd.h>

#include <filesystem>

#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fs = std::filesystem;
using fcsim::test::read_file;
using fcsim::test::run;

namespace {

class Folder {
 public:
  Folder() : path_(std::string(FCSIM_BINARY_DIR) + "/test-files/cli-convert") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

constexpr const char* kTrace = "tests/bundles/art-fc128/trace.strace.zst";

}  // namespace

TEST_CASE("convert says what it made", "[cli]") {
  const Folder folder;
  const auto outcome =
      fcsim::test::run(std::string("convert ") + kTrace + " -o " + folder / "t.fct");
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.empty());
  CHECK(outcome.output.find("t.fct: ") != std::string::npos);
  CHECK(outcome.output.find(" events, ") != std::string::npos);
  CHECK(folder.entries() == 1);
}

TEST_CASE("the same trace gives the same file", "[cli]") {
  const Folder folder;
  fcsim::test::run(std::string("convert ") + kTrace + " -o " + folder / "a.fct");
  fcsim::test::run(std::string("convert ") + kTrace + " -o " + folder / "b.fct");
  CHECK(fcsim::test::read_file(folder / "a.fct") == fcsim::test::read_file(folder / "b.fct"));
}

TEST_CASE("commands take the binary form as they take the text", "[cli]") {
  const Folder folder;
  REQUIRE(
      fcsim::test::run("convert tests/bundles/art-fc128 --zstd 3 -o " + folder / "bundle").status ==
      0);
  for (const std::string command :
       {"run -f json ", "run -f kernel -j2 ", "compare --set jbd2.commit_interval_s=1 ",
        "sweep -p filesystem.fast_commit_kib=256,512 "}) {
    INFO(command);
    const auto text = fcsim::test::run(command + "tests/bundles/art-fc128");
    const auto binary = fcsim::test::run(command + folder / "bundle");
    CHECK(binary.status == text.status);
    CHECK(binary.output == text.output);
  }
  CHECK(fcsim::test::run("validate " + folder / "bundle").output.find("exact") !=
        std::string::npos);
  const std::string options = " --mount-point /mnt/creat -f csv";
  const std::string creat = "tests/bundles/creat/trace.strace.zst";
  REQUIRE(fcsim::test::run("convert " + creat + " -o " + folder / "t.fct").status == 0);
  CHECK(fcsim::test::run("run -" + options, "cat " + (folder / "t.fct") + " |").output ==
        fcsim::test::run("run " + creat + options).output);
}

TEST_CASE("lines that were skipped are told by both commands", "[cli]") {
  const Folder folder;
  const std::string trace = folder / "t.strace";
  std::ofstream(trace) << "1 1800000000.000001 fsync(3</m/a>) = 0\nnonsense\n";
  const auto text = fcsim::test::run("run -f json " + trace);
  CHECK(text.errors.find(trace + ":2") != std::string::npos);
  CHECK(fcsim::test::run("convert " + trace + " -o " + folder / "t.fct").errors == text.errors);
  const auto binary = fcsim::test::run("run -f json " + folder / "t.fct");
  CHECK(binary.errors == text.errors);
  CHECK(binary.output == text.output);
  CHECK(fcsim::test::run("run --strict " + folder / "t.fct").errors ==
        fcsim::test::run("run --strict " + trace).errors);
  CHECK(fcsim::test::run("convert --strict " + trace + " -o " + folder / "u.fct").status == 1);
  CHECK_FALSE(fs::exists(folder / "u.fct"));
}

TEST_CASE("what fails leaves nothing and destroys nothing", "[cli]") {
  const Folder folder;
  const std::string file = folder / "t.fct";
  std::ofstream(file) << "precious";
  CHECK(fcsim::test::run("convert /dev/null/none -o " + file).status == 1);
  CHECK(fcsim::test::run("convert README.md -o " + file).status == 1);
  CHECK(fcsim::test::read_file(file) == "precious");
  CHECK(folder.entries() == 1);
  const auto full = fcsim::test::run(std::string("convert ") + kTrace + " -o /dev/full");
  CHECK(full.status == 1);
  CHECK(full.errors.find("/dev/full: cannot be written: No space left on device") !=
        std::string::npos);
  const auto limited =
      fcsim::test::run(std::string("convert ") + kTrace + " -o " + file, "ulimit -f 8;");
  CHECK(limited.status != 0);
  CHECK(fcsim::test::read_file(file) == "precious");
  CHECK(fcsim::test::run("convert tests/bundles/creat -o " + file).status == 1);
  CHECK(fcsim::test::read_file(file) == "precious");
  CHECK(fcsim::test::run("convert tests/bundles/creat -o tests/bundles/creat/inside").status == 1);
  CHECK_FALSE(fs::exists(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/creat/inside"));
}

TEST_CASE("convert's usage", "[cli]") {
  CHECK(fcsim::test::run("convert").status == 2);
  CHECK(fcsim::test::run(std::string("convert ") + kTrace).status == 2);
  CHECK(fcsim::test::run(std::string("convert --zstd 23 ") + kTrace + " -o x").status == 2);
  CHECK(fcsim::test::run("convert --help").status == 0);
}
