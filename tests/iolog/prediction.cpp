// Does a prediction from fio's iolog agree with what the kernel counted while fio wrote it?
//
// tests/iolog/data/: fio 3.33 on Linux 6.18, --ioengine=psync --write_iolog=NAME.log, with
//   append       --rw=write --bs=4k --size=800k --fsync=1 --create_on_open=1 --fallocate=none
//   append-data  the same with --fdatasync=2
//   files        --rw=write --bs=8k --size=3200k --nrfiles=16 --fsync=1 --create_on_open=1
//                --fallocate=none
//   default      --rw=randwrite --bs=4k --size=1M --fsync=1 (fio lays the file out before its log
//                begins)
#include <unistd.h>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/replay/session.h"
#include "tests/catch.h"
#include "traces/input.h"

using namespace fcsim;

namespace {

// commits, ineligible, numblks of fc_info; transactions, requested of jbd2.
struct Counts {
  std::uint64_t commits;
  std::uint64_t ineligible;
  std::uint64_t numblks;
  std::uint64_t transactions;
  std::uint64_t requested;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Counts& counts) {
  return stream << counts.commits << " " << counts.ineligible << " " << counts.numblks << " "
                << counts.transactions << " " << counts.requested;
}

std::string data_file(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/iolog/data/" + name;
}

replay::Session predict(const std::string& trace, const std::string& environment) {
  replay::SessionRequest request;
  request.inputs = {trace};
  request.configuration.files = {environment};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return replay::predict(request);
}

Counts counts_of(const replay::Session& session) {
  const engine::Prediction& prediction = session.prediction;
  return {prediction.commits, prediction.ineligible, prediction.numblks, prediction.transactions,
          prediction.requested};
}

// The log as version 2 has it: without times.
std::string without_times(const std::string& name) {
  traces::LineInput lines(traces::open_source(data_file(name)));
  std::string text = "fio version 2 iolog\n";
  std::string_view line;
  lines.next(line);
  while (lines.next(line)) text += std::string(line.substr(line.find(' ') + 1)) + "\n";
  return text;
}

struct Case {
  const char* name;
  Counts kernel;
};

constexpr Case kCases[] = {{"append", {195, 4, 195, 4, 4}},
                           {"append-data", {97, 2, 97, 2, 2}},
                           {"files", {149, 3, 149, 3, 3}},
                           {"default", {251, 4, 251, 4, 4}}};

}  // namespace

TEST_CASE("version 3 gives the kernel's counts", "[iolog]") {
  for (const Case& item : kCases) {
    INFO(item.name);
    const replay::Session session = predict(data_file(std::string(item.name) + ".log.zst"),
                                            data_file(std::string(item.name) + ".toml"));
    CHECK(counts_of(session) == item.kernel);
    CHECK(session.warnings.empty());
    CHECK(session.prediction.unsupported.empty());
    CHECK(session.prediction.assumed.size() >= 3);
  }
}

TEST_CASE("version 2 too, where no timestamp decides", "[iolog]") {
  for (const Case& item : kCases) {
    INFO(item.name);
    const std::string path =
        std::string(FCSIM_BINARY_DIR) + "/test-iolog2-" + std::to_string(getpid()) + ".log";
    std::ofstream(path, std::ios::binary) << without_times(std::string(item.name) + ".log.zst");
    const replay::Session session = predict(path, data_file(std::string(item.name) + ".toml"));
    CHECK(counts_of(session) == item.kernel);
    std::remove(path.c_str());
  }
}
