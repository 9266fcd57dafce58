// Benchmark: how fast a trace is read, as text and in the binary form, against `grep -c 'fsync('`
// over the same text, in turn. The figures to keep are the ratios of processor times, which a
// faster or a busy machine does not change. Prints rows of a Markdown table.
//
//   parse_strace               generates 250 MB of write and fsync lines below TMPDIR
//   parse_strace TRACE...      reads the given files (grep is left out for compressed ones)
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "traces/binary/writer.h"
#include "traces/bundle/open.h"
#include "traces/reader.h"

namespace {

constexpr int kRounds = 5;
constexpr std::uint64_t kGeneratedBytes = 250'000'000;

// Of this process, or of its children that have ended: user and system time.
double processor_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Appends of 4096 bytes, each followed by an fsync, as strace -f -ttt -T -y -s 32 shows them.
void generate(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string buffer(32, 'x');
  std::int64_t microseconds = 1'796'038'166'658'224;
  std::uint64_t written = 0;
  std::vector<char> line(256);
  while (written < kGeneratedBytes) {
    const auto second = static_cast<long long>(microseconds / 1'000'000);
    const auto fraction = static_cast<long long>(microseconds % 1'000'000);
    int size = std::snprintf(line.data(), line.size(),
                             "29428 %lld.%06lld write(3</mnt/append/log>, \"%s\"..., 4096) = 4096 "
                             "<0.000020>\n",
                             second, fraction, buffer.c_str());
    file.write(line.data(), size);
    written += static_cast<std::uint64_t>(size);
    size = std::snprintf(line.data(), line.size(),
                         "29428 %lld.%06lld fsync(3</mnt/append/log>) = 0 <0.000412>\n", second,
                         (fraction + 31) % 1'000'000);
    file.write(line.data(), size);
    written += static_cast<std::uint64_t>(size);
    microseconds += 517;
  }
}

struct Reading {
  double seconds = 0;
  fcsim::traces::ReaderStatistics statistics;
};

Reading read(const std::vector<std::string>& paths) {
  const double begin = processor_seconds(RUSAGE_SELF);
  const auto reader = fcsim::traces::bundle::open_trace(paths, {});
  fcsim::traces::Event event;
  std::int64_t sum = 0;
  while (reader->next(event)) sum += event.result;
  if (sum == 42) std::puts("");  // the sum must be computed
  return {processor_seconds(RUSAGE_SELF) - begin, reader->statistics()};
}

double grep(const std::vector<std::string>& paths) {
  std::string command = "LC_ALL=C grep -c 'fsync('";
  for (const std::string& path : paths) command += " '" + path + "'";
  command += " | cat > /dev/null";  // grep itself stops early if it writes to /dev/null
  const double begin = processor_seconds(RUSAGE_CHILDREN);
  if (std::system(command.c_str()) != 0) return 0;
  return processor_seconds(RUSAGE_CHILDREN) - begin;
}

void convert(const std::vector<std::string>& paths, const std::string& to,
             std::optional<int> level) {
  std::ofstream file(to, std::ios::binary);
  fcsim::traces::binary::write_binary(
      *fcsim::traces::bundle::open_trace(paths, {}), {"bench", level}, [&](std::string_view bytes) {
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_row(const char* what, const std::vector<double>& seconds, double base, double events,
               std::uintmax_t bytes) {
  const double middle = median(seconds);
  std::printf("| %s | %.3f s | %.2f | %.1f M/s | %.1f MB |\n", what, middle, middle / base,
              events / middle / 1e6, static_cast<double>(bytes) / 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> paths(arguments + 1, arguments + count);
  std::string generated;
  if (paths.empty()) {
    generated = (std::filesystem::temp_directory_path() / "fcsim-parse-bench.strace").string();
    generate(generated);
    paths.push_back(generated);
  }
  const std::string base = (std::filesystem::temp_directory_path() / "fcsim-parse-bench").string();
  const std::string plain = base + ".fct";
  const std::string packed = base + "-zstd.fct";
  convert(paths, plain, {});
  convert(paths, packed, 3);
  std::uintmax_t bytes = 0;
  bool compressed = false;
  for (const std::string& path : paths) {
    bytes += std::filesystem::file_size(path);
    compressed = compressed || path.ends_with(".zst");
  }
  std::array<std::vector<double>, 4> seconds;
  Reading reading;
  for (int round = 0; round < kRounds; ++round) {
    if (!compressed) seconds[0].push_back(grep(paths));
    reading = read(paths);
    seconds[1].push_back(reading.seconds);
    seconds[2].push_back(read({plain}).seconds);
    seconds[3].push_back(read({packed}).seconds);
  }
  const auto events = static_cast<double>(reading.statistics.events);
  const double text = median(seconds[1]);
  std::printf(
      "| reading %.1f M events | processor time | to text | events | size |\n"
      "|---|--:|--:|--:|--:|\n",
      events / 1e6);
  if (!compressed) print_row("`grep -c 'fsync('` of the text", seconds[0], text, events, bytes);
  print_row("text", seconds[1], text, events, bytes);
  print_row("binary", seconds[2], text, events, std::filesystem::file_size(plain));
  print_row("binary, zstd 3", seconds[3], text, events, std::filesystem::file_size(packed));
  for (const std::string& path : {plain, packed, generated}) std::filesystem::remove(path);
  return 0;
}
