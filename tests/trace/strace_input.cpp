// Does every input, however odd or broken, give events or a diagnosis, and the right one?
#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/trace/events.h"

namespace fcsim::traces::test {
namespace {

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_((std::filesystem::temp_directory_path() /
               ("fcsim-" + std::to_string(::getpid()) + "-" + name))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string compress(const std::string& text) {
  std::string compressed(ZSTD_compressBound(text.size()), '\0');
  compressed.resize(
      ZSTD_compress(compressed.data(), compressed.size(), text.data(), text.size(), 3));
  return compressed;
}

std::string refusal(const std::string& text, bool strict = false) {
  try {
    read_text(text, strict);
  } catch (const model::InputError& error) {
    return error.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kRecipe =
    "strace -f -ttt -T -y -s 64 -e trace=%file,%desc,%process,msync,"
    "sync,syncfs,connect,bind -o trace.strace COMMAND";

}  // namespace

TEST_CASE("a line that cannot be parsed is counted and placed", "[strace]") {
  const test::Trace trace =
      read_text("close(3) = 0\nclose(xyz) = 0\nclose(4) = 0\n", false, "the.trace");
  CHECK(trace.events.size() == 2);
  CHECK(trace.statistics.unparsable == 1);
  REQUIRE(trace.statistics.first_diagnostics.size() == 1);
  const traces::Diagnostic& diagnostic = trace.statistics.first_diagnostics.front();
  CHECK(to_string(diagnostic.position) == "the.trace:2:7");
  CHECK(diagnostic.message == "expected a descriptor");
}

TEST_CASE("strict makes it an error", "[strace]") {
  CHECK(holds(refusal("close(3) = 0\nclose(xyz) = 0\n", true), "t:2:7: expected a descriptor"));
  CHECK(holds(refusal("what is this\nclose(3) = 0\n", true), "t:1:1: expected a system call"));
}

TEST_CASE("a flag that strace never had", "[strace]") {
  const test::Trace trace =
      read_text("close(3) = 0\nopenat(AT_FDCWD, \"a\", O_RDWR|O_BOGUS) = 3\n");
  REQUIRE(trace.statistics.first_diagnostics.size() == 1);
  CHECK(trace.statistics.first_diagnostics[0].position.line == 2);
  CHECK(trace.statistics.first_diagnostics[0].position.column == 30);
  CHECK(holds(trace.statistics.first_diagnostics[0].message, "'O_BOGUS'"));
}

TEST_CASE("at most twenty diagnostics are kept", "[strace]") {
  std::string text = "close(3) = 0\n";
  for (int i = 0; i < 100; ++i) text += "close(x) = 0\n";
  const test::Trace trace = read_text(text);
  CHECK(trace.statistics.unparsable == 100);
  CHECK(trace.statistics.first_diagnostics.size() == traces::kDiagnosticsMaximum);
}

TEST_CASE("what is not a trace is refused with the recipe", "[strace]") {
  CHECK(holds(refusal("#include <stdio.h>\nint main(void) { return 0; }\n"), kRecipe));
  CHECK(holds(refusal(std::string("\x7f"
                                  "ELF\0\0\0\1\n\2\3",
                                  11)),
              kRecipe));
  CHECK(holds(refusal(std::string(100'000, '\0')), kRecipe));
  CHECK(holds(refusal("{\"a\": [1, 2]}\n"), kRecipe));
  std::string prose;
  for (int i = 0; i < 1500; ++i) prose += "x = f(y) = 3 of nothing\n";
  CHECK(holds(refusal(prose + "close(3) = 0\n"), kRecipe));
  const std::string table =
      "% time     seconds  usecs/call     calls    errors syscall\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      " 31.47    0.000220          73         3           write\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      "100.00    0.000699           6       110        13 total\n";
  CHECK(holds(refusal(table), kRecipe));
  CHECK(holds(refusal(table), "summary"));
  const test::Trace trace = read_text("close(3) = 0\n" + table + "close(4) = 0\n");
  CHECK(trace.events.size() == 2);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("empty input has no events and is not an error", "[strace]") {
  CHECK(read_text("").events.empty());
  CHECK(read_text("\n\r\n\n").events.empty());
  CHECK(read_text("").statistics.lines == 0);
}

TEST_CASE("line ends, colours, NUL bytes", "[strace]") {
  CHECK(read_text("close(3) = 0\r\nfsync(4</x>) = 0 <0.1>\r\n").events.size() == 2);
  CHECK(read_text("close(3) = 0").events.size() == 1);
  const test::Trace colours = read_text(
      "\x1b[1;34m7\x1b[0m \x1b[36mopenat\x1b[0m(\x1b[33mAT_FDCWD\x1b[0m, \x1b[32m\"a\"\x1b[0m, "
      "O_RDONLY) = \x1b[1m3\x1b[0m\n\x1b[31m7\x1b[0m fsync(\x1b[33m3\x1b[0m <unfinished ...>\n"
      "7 <... fsync resumed>\x1b[0m) = \x1b[31m-1 EIO (x)\x1b[0m\n");
  REQUIRE(colours.events.size() == 2);
  CHECK(colours.events[0].path == "a");
  CHECK(colours.events[1].error == 5);
  CHECK(colours.statistics.unparsable == 0);
  const std::string zeros = "close(3) = 0\n" + std::string(5000, '\0') + "\nclose(4) = 0\n";
  CHECK(read_text(zeros).events.size() == 2);
  CHECK(read_text(zeros).statistics.unparsable == 1);
}

TEST_CASE("the last line may be cut anywhere", "[strace]") {
  const std::string line =
      "29428 1796038166.658224 openat(AT_FDCWD</w>, \"a\\\"b\", O_RDWR) = 3</w/a>";
  for (std::size_t size = 1; size < line.size(); ++size) {
    const test::Trace trace = read_text("5 close(3) = 0\n" + line.substr(0, size));
    INFO(line.substr(0, size));
    CHECK(trace.events.size() + trace.statistics.unparsable <= 2);
    CHECK(trace.events.size() >= 1);
    for (const traces::Diagnostic& diagnostic : trace.statistics.first_diagnostics) {
      CHECK(diagnostic.position.line == 2);
      CHECK(diagnostic.position.column <= size + 1);
      CHECK(holds(diagnostic.message, "the file ends within this line"));
    }
  }
}

TEST_CASE("lines longer than any buffer", "[strace]") {
  const std::string buffer(3'000'000, 'x');
  const test::Trace trace =
      read_text("write(3</x>, \"" + buffer + "\", 3000000) = 3000000 <0.000001>\n" +
                "setxattr(\"f\", \"user.a\", \"" + buffer + "\", 7, 0) = 0\n" + "close(3) = 0\n");
  REQUIRE(trace.events.size() == 3);
  CHECK(trace.events[0].result == 3'000'000);
  CHECK(trace.events[1].text.size() == buffer.size());
  CHECK(trace.statistics.lines == 3);
}

TEST_CASE("lines across the reads of the input", "[strace]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "7 1796038166.658224 write(3</mnt/x>, \"" +
            std::string(static_cast<std::size_t>(i % 97), 'y') + "\", " + std::to_string(i) +
            ") = " + std::to_string(i) + " <0.000020>\n";
  }
  const TemporaryFile plain("plain", text);
  const TemporaryFile packed("packed.zst", compress(text) + compress(text));
  const test::Trace once = drain(*traces::strace::open_strace({plain.path()}, {}));
  const test::Trace twice = drain(*traces::strace::open_strace({packed.path()}, {}));
  REQUIRE(once.events.size() == 20'000);
  REQUIRE(twice.events.size() == 40'000);
  for (int i = 0; i < 20'000; ++i) {
    REQUIRE(once.events[static_cast<std::size_t>(i)].length == i);
    REQUIRE(twice.events[static_cast<std::size_t>(20'000 + i)].result == i);
  }
  CHECK(once.statistics.unparsable + twice.statistics.unparsable == 0);
}

TEST_CASE("compressed input that was cut or damaged", "[strace]") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "close(" + std::to_string(i * 7919) + ") = 0\n";
  const std::string packed = compress(text);
  const test::Trace cut = read_text(packed.substr(0, packed.size() / 2));
  CHECK(cut.statistics.unparsable >= 1);
  CHECK(holds(cut.statistics.first_diagnostics.back().message, "middle of a frame"));
  CHECK(holds(refusal(packed.substr(0, 6) + std::string(500, '\xff')), "damaged zstd data"));
}

TEST_CASE("files that cannot be read", "[strace]") {
  CHECK_THROWS_AS(traces::strace::open_strace({"/nonexistent/trace"}, {}), model::InputError);
  CHECK_THROWS_AS(traces::strace::open_strace({"/"}, {}), model::InputError);
  CHECK_THROWS_AS(traces::strace::open_strace({}, {}), model::InputError);
}

TEST_CASE("files of -ff are merged by time", "[strace]") {
  const TemporaryFile first("ff.100",
                            "1796038166.1 fork() = 101\n1796038166.3 close(3) = 0\n"
                            "1796038166.4 +++ exited with 0 +++\n");
  const TemporaryFile second("ff.101.zst", compress("1796038166.2 fsync(4) = 0\n"
                                                    "1796038166.3 close(4) = 0\n"));
  const test::Trace trace = drain(*traces::strace::open_strace({first.path(), second.path()}, {}));
  REQUIRE(trace.events.size() == 5);
  CHECK(trace.events[0].pid == 100);
  CHECK(trace.events[1].pid == 101);
  CHECK(trace.events[1].source == 1);
  CHECK(trace.events[2].pid == 100);
  CHECK(trace.events[3].pid == 101);
  CHECK(trace.events[4].call == traces::Call::process_exited);
  CHECK(trace.statistics.lines == 5);
  CHECK(trace.statistics.first_time_ns == 1796038166'100000000);
}

TEST_CASE("there may be more files of -ff than descriptors", "[strace]") {
  std::vector<std::unique_ptr<TemporaryFile>> files;
  std::vector<std::string> paths;
  for (int pid = 2000; pid < 3100; ++pid) {
    const std::string line = "1796038166." + std::to_string(pid) + " close(3) = 0\n";
    files.push_back(std::make_unique<TemporaryFile>("many." + std::to_string(pid), line));
    paths.push_back(files.back()->path());
  }
  const test::Trace trace = drain(*traces::strace::open_strace(paths, {}));
  REQUIRE(trace.events.size() == files.size());
  CHECK(trace.events.front().pid == 2000);
  CHECK(trace.events.back().pid == 3099);
}

TEST_CASE("files of -ff with times of day begin on either side of midnight", "[strace]") {
  const TemporaryFile late("day.9", "00:00:01.0 fsync(4) = 0\n");
  const TemporaryFile early("day.10", "23:59:58.0 fork() = 9\n00:00:02.0 close(3) = 0\n");
  const test::Trace trace = drain(*traces::strace::open_strace({late.path(), early.path()}, {}));
  REQUIRE(trace.events.size() == 3);
  CHECK(trace.events[0].call == traces::Call::fork);
  CHECK(trace.events[1].call == traces::Call::fsync);
  CHECK(trace.events[2].call == traces::Call::close);
}

}  // namespace fcsim::traces::test
