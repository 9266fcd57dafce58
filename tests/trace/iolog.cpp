// Are fio's iologs read as the calls that fio made?
#include "tests/catch.h"
#include "traces/bundle/open.h"
#include "traces/reader.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace fcsim;
using namespace fcsim::traces;

namespace {

// A file of the text, gone with this.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_(std::string(FCSIM_BINARY_DIR) + "/test-iolog-" + std::to_string(getpid()) + ".log") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Seen {
  Call call;
  std::int64_t start_ns;
  std::int64_t offset;
  std::int64_t length;
  std::int32_t fd;
  std::uint64_t line;
  bool operator==(const Seen&) const = default;
};

struct Reading {
  std::vector<Seen> events;
  ReaderStatistics statistics;
  std::vector<std::string> assumed;
  std::map<std::string, std::uint64_t> unsupported;
};

Reading read(const std::string& text, bool strict = false) {
  const TextFile file(text);
  const auto reader = traces::bundle::open_trace({file.path()}, {.strict = strict});
  Reading reading;
  for (Event event; reader->next(event);)
    reading.events.push_back(
        {event.call, event.start_ns, event.offset, event.length, event.fd, event.line});
  reading.statistics = reader->statistics();
  reading.assumed = reader->assumed();
  reading.unsupported = reader->unsupported();
  return reading;
}

// The complaint in strict mode, without the file's name.
std::string complaint(const std::string& text) {
  try {
    read(text, true);
  } catch (const model::InputError& error) {
    const std::string message = error.what();
    return message.substr(message.find(".log:") + 5);
  }
  return "no error";
}

const std::string kVersion2 = "fio version 2 iolog\n/m/a add\n/m/a open\n";
const std::string kVersion3 = "fio version 3 iolog\n5 /m/a add\n10 /m/a open\n";

}  // namespace

TEST_CASE("version 3, with its times", "[iolog]") {
  const Reading reading = read(kVersion3 +
                               "20 /m/a write 4096 512\n"
                               "30 /m/a sync 4096 0\n"
                               "45 /m/a datasync 0 0\n"
                               "50 /m/a read 0 100\n"
                               "61 /m/a close\n");
  CHECK(reading.events == std::vector<Seen>{{Call::openat, 10'000, -1, -1, kAtFdCwd, 3},
                                            {Call::pwrite, 20'000, 4096, 512, 3, 4},
                                            {Call::fsync, 30'000, -1, -1, 3, 5},
                                            {Call::fdatasync, 45'000, -1, -1, 3, 6},
                                            {Call::pread, 50'000, 0, 100, 3, 7},
                                            {Call::close, 61'000, -1, -1, 3, 8}});
  CHECK(reading.statistics.unparsable == 0);
  CHECK(reading.statistics.time_base == TimeBase::relative);
  CHECK(reading.statistics.first_time_ns == 5'000);
  CHECK(reading.statistics.last_time_ns == 61'000);
}

TEST_CASE("version 2, with assumed times and its waits", "[iolog]") {
  const Reading reading = read(kVersion2 +
                               "/m/a write 0 4096\n"
                               "/m/a sync 0 0\n"
                               "/m/a wait 1000 0\n"
                               "/m/a write 4096 4096\n"
                               "/m/a close\n");
  CHECK(reading.events == std::vector<Seen>{{Call::openat, 0, -1, -1, kAtFdCwd, 3},
                                            {Call::pwrite, 0, 0, 4096, 3, 4},
                                            {Call::fsync, 10'000, -1, -1, 3, 5},
                                            {Call::pwrite, 1'470'000, 4096, 4096, 3, 7},
                                            {Call::close, 1'480'000, -1, -1, 3, 8}});
  REQUIRE(reading.assumed.size() == 3);
  CHECK(reading.assumed[2].find("version 2") != std::string::npos);
}

TEST_CASE("several files, and one opened again", "[iolog]") {
  const Reading reading = read(kVersion2 + "/m/b add\n/m/b open\n/m/a close\n/m/a open\n");
  REQUIRE(reading.events.size() == 4);
  CHECK(reading.events[2].fd == 3);
  CHECK(reading.statistics.unparsable == 0);
}

TEST_CASE("what an iolog holds and no file system sees is counted", "[iolog]") {
  const Reading reading =
      read(kVersion3 + "20 /m/a trim 0 4096\n21 /m/a trim 0 4096\n22 /m/a sync_file_range 0 0\n");
  CHECK(reading.events.size() == 1);
  CHECK(reading.unsupported.size() == 2);
  CHECK(reading.unsupported.begin()->second == 1);
}

TEST_CASE("faults of an iolog have line and column", "[iolog]") {
  CHECK(complaint("fio version 4 iolog\n") ==
        "1:13: expected 'fio version 2 iolog' or 'fio version 3 iolog'");
  CHECK(complaint("fio version 3") ==
        "1:13: expected 'fio version 2 iolog' or 'fio version 3 iolog'");
  CHECK(complaint(kVersion3 + "x /m/a close\n") == "4:1: expected a whole number, found 'x'");
  CHECK(complaint(kVersion3 + "20 /m/a write 0 -5\n") ==
        "4:17: expected a whole number, found '-5'");
  CHECK(complaint(kVersion3 + "20 /m/b open\n") == "4:4: the file '/m/b' was not added before");
  CHECK(complaint(kVersion3 + "20 /m/a wait 5 0\n") == "4:9: version 3 has no wait");
  CHECK(complaint(kVersion3 + "20 /m/a open\n") == "4:9: the file is open already");
  CHECK(complaint(kVersion2 + "/m/a frob 0 0\n") ==
        "4:6: expected read, write, sync, datasync, trim or wait, found 'frob'");
  CHECK(complaint(kVersion2 + "/m/a write 0 40") ==
        "4:16: the log is cut: its last line has no end");
  CHECK(complaint(kVersion2 + "/m/a write 9223372036854775807 1\n") ==
        "4:32: offset and length exceed the largest file");
  CHECK(complaint(kVersion2 + "/m/a write\n") == "4:6: expected add, open or close, found 'write'");
  CHECK(complaint(kVersion2 + "/m/a write 0\n") ==
        "4:12: expected a file and an action, or a file, an action, an offset and a length");
}

TEST_CASE("without strict, a faulty line is skipped and told", "[iolog]") {
  const Reading reading = read(kVersion3 + "20 /m/a write 0 x\n30 /m/a write 0 1\n");
  CHECK(reading.events.size() == 2);
  CHECK(reading.statistics.unparsable == 1);
  REQUIRE(reading.statistics.first_diagnostics.size() == 1);
  CHECK(reading.statistics.first_diagnostics[0].position.line == 4);
}

TEST_CASE("times that run back are raised and counted", "[iolog]") {
  const Reading reading = read(kVersion3 + "30 /m/a write 0 1\n20 /m/a write 1 1\n");
  CHECK(reading.events.back().start_ns == 30'000);
  CHECK(reading.statistics.reordered == 1);
}

TEST_CASE("strace's text is still told from an iolog", "[iolog]") {
  const Reading reading = read("1 1796038166.500000 fsync(3</m/a>) = 0 <0.000400>\n");
  REQUIRE(reading.events.size() == 1);
  CHECK(reading.events[0].call == Call::fsync);
  CHECK(reading.assumed.empty());
}
