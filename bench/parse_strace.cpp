// Benchmark: how fast strace text is read, against `grep -c 'fsync('` over the same file in the
// same run. The figure to keep is the ratio, which a faster machine does not change.
//
//   parse_strace               generates 250 MB of write and fsync lines below TMPDIR
//   parse_strace TRACE...      reads the given files (grep is left out for compressed ones)
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "traces/reader.h"

namespace {

constexpr int kRounds = 5;
constexpr std::uint64_t kGeneratedBytes = 250'000'000;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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

struct Measurement {
  double seconds = std::numeric_limits<double>::infinity();
  fcsim::traces::ReaderStatistics statistics;
};

Measurement parse(const std::vector<std::string>& paths) {
  Measurement best;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const auto reader = fcsim::traces::open_strace(paths, {});
    fcsim::traces::Event event;
    std::int64_t sum = 0;
    while (reader->next(event)) sum += event.result;
    best.seconds = std::min(best.seconds, seconds_since(begin));
    best.statistics = reader->statistics();
    if (sum == 42) std::puts("");  // the sum must be computed
  }
  return best;
}

double grep(const std::vector<std::string>& paths) {
  std::string command = "grep -c 'fsync('";
  for (const std::string& path : paths) command += " '" + path + "'";
  command += " | cat > /dev/null";  // grep itself stops early if it writes to /dev/null
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) return 0;
    best = std::min(best, seconds_since(begin));
  }
  return best;
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
  std::uintmax_t bytes = 0;
  bool compressed = false;
  for (const std::string& path : paths) {
    bytes += std::filesystem::file_size(path);
    compressed = compressed || path.ends_with(".zst");
  }
  const Measurement measured = parse(paths);
  const auto lines = static_cast<double>(measured.statistics.lines);
  std::printf("bytes            %ju\nlines            %.0f\nevents           %ju\n", bytes, lines,
              static_cast<std::uintmax_t>(measured.statistics.events));
  std::printf("parse            %.3f s  %.1f M lines/s  %.0f ns a line  %.2f GB/s\n",
              measured.seconds, lines / measured.seconds / 1e6, measured.seconds * 1e9 / lines,
              static_cast<double>(bytes) / measured.seconds / 1e9);
  if (!compressed) {
    const double grep_seconds = grep(paths);
    std::printf("grep -c 'fsync(' %.3f s\nratio            %.2f\n", grep_seconds,
                measured.seconds / grep_seconds);
  }
  if (!generated.empty()) std::filesystem::remove(generated);
  return 0;
}
