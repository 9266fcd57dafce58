// Does a damaged trace ever do more than give an answer or an error?
#include <algorithm>
#include <sstream>

#include "tests/robustness/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

// Small recordings that use different parts of the model.
const std::vector<std::string> kBundles = {"creat",
                                           "unlink-open",
                                           "truncate-down",
                                           "falloc-punch-log",
                                           "rename-over-dirty",
                                           "tmpfile-linked",
                                           "mt-append-2",
                                           "o-direct-prealloc",
                                           "symlink-long",
                                           "swap-boot",
                                           "encrypt-creat",
                                           "fs-inline-append",
                                           "fs-noextent",
                                           "mo-sync",
                                           "art-collapse",
                                           "art-datajournal",
                                           "removexattr",
                                           "evict-creat",
                                           "copy-file-range",
                                           "wb-rewrite-1s"};

// Half of the damage is to numbers, which is where a parser's success hurts the model.
const std::vector<std::string> kNumbers = {"0",
                                           "-1",
                                           "1",
                                           "4095",
                                           "4096",
                                           "4097",
                                           "65536",
                                           "2147483647",
                                           "2147483648",
                                           "4294967295",
                                           "4294967296",
                                           "17592186044416",
                                           "4611686018427387904",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           "-9223372036854775808",
                                           "18446744073709551615",
                                           "99999999999999999999999",
                                           "0x7fffffffffffffff",
                                           "1e9"};

std::string cut(std::string text, Random& random) {
  text.resize(random.below(text.size() + 1));
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string shuffle_lines(const std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  return joined(lines);
}

std::string drop_lines(const std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  std::erase_if(lines, [&](const std::string&) { return random.below(5) == 0; });
  return joined(lines);
}

std::string repeat_lines(const std::string& text, Random& random) {
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(text)) {
    lines.push_back(line);
    if (random.below(10) == 0) lines.push_back(lines[random.below(lines.size())]);
  }
  return joined(lines);
}

// Another number in place of one in a hundred.
std::string change_numbers(const std::string& text, Random& random) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      result += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (random.below(100) == 0)
      result += random.of(kNumbers);
    else
      result.append(text, at, end - at);
    at = end;
  }
  return result;
}

// The arguments after the first descriptor of a line, which are sizes and offsets mostly.
std::string change_arguments(const std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) {
    const std::size_t comma = line.rfind(", ");
    const std::size_t end = line.find(')', comma == std::string::npos ? 0 : comma);
    if (comma == std::string::npos || end == std::string::npos || random.below(4) != 0) continue;
    line.replace(comma + 2, end - comma - 2, random.of(kNumbers));
  }
  return joined(lines);
}

std::string damage_trace(const std::string& text, Random& random) {
  switch (random.below(9)) {
    case 0:
      return cut(text, random);
    case 1:
      return flip_bytes(text, random, 40);
    case 2:
      return shuffle_lines(text, random);
    case 3:
      return drop_lines(text, random);
    case 4:
      return repeat_lines(text, random);
    case 5:
      return change_arguments(text, random);
    case 6:
      return change_numbers(drop_lines(text, random), random);
    default:
      return change_numbers(text, random);
  }
}

}  // namespace

TEST_CASE("damaged traces", "[robustness]") {
  const Workspace workspace;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    Parts parts = read_parts(kBundles[seed % kBundles.size()]);
    parts.trace = damage_trace(parts.trace, random);
    if (random.below(4) == 0) parts.manifest.reset();
    INFO("seed " << seed << ", " << kBundles[seed % kBundles.size()] << "; left in "
                 << workspace.folder());
    workspace.write(parts);
    message_for(request_for(workspace.folder()));
  }
}

TEST_CASE("what is not a trace", "[robustness]") {
  const Workspace workspace;
  Parts parts = read_parts("creat");
  const std::string table =
      "% time     seconds  usecs/call     calls    errors syscall\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      " 40.00    0.000012           1        10           fsync\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      "100.00    0.000012           1        10           total\n";
  std::string binary;
  for (int i = 0; i < 100000; ++i) binary += static_cast<char>(i * 7919 >> 3);
  for (const std::string& text :
       {std::string(), std::string("\n\n\n"), std::string(3, '\0'), table, binary,
        std::string("\x28\xb5\x2f\xfd", 4), std::string("\x28\xb5\x2f\xfd garbage"),
        std::string("\x7f"
                    "ELF\x02\x01\x01"),
        std::string(1 << 20, 'x')}) {
    parts.trace = text;
    workspace.write(parts);
    const std::string message = message_for(request_for(workspace.folder()));
    INFO(message);
    // Nothing at all is an empty trace; all else is refused, and the message says what.
    if (!message.empty() || text == table || text == binary)
      CHECK(message.find("trace.strace") != std::string::npos);
  }
}

TEST_CASE("every number at its limits", "[robustness]") {
  const Workspace workspace;
  Parts parts = read_parts("creat");
  parts.manifest.reset();
  const std::string path = "</mnt/creat/f>";
  const std::vector<std::string> calls = {
      "pwrite64(3" + path + ", \"x\"..., N, M) = N",
      "pwrite64(3" + path + ", \"x\"..., 10, N) = 10",
      "write(3" + path + ", \"x\"..., N) = N",
      "lseek(3" + path + ", N, SEEK_SET) = N",
      "ftruncate(3" + path + ", N) = 0",
      "truncate(\"/mnt/creat/f\", N) = 0",
      "fallocate(3" + path + ", 0, N, M) = 0",
      "fallocate(3" + path + ", FALLOC_FL_KEEP_SIZE, N, M) = 0",
      "fallocate(3" + path + ", FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, N, M) = 0",
      "fallocate(3" + path + ", FALLOC_FL_COLLAPSE_RANGE, N, M) = 0",
      "fallocate(3" + path + ", FALLOC_FL_INSERT_RANGE, N, M) = 0",
      "fallocate(3" + path + ", FALLOC_FL_ZERO_RANGE, N, M) = 0",
      "sync_file_range(3" + path + ", N, M, SYNC_FILE_RANGE_WRITE) = 0",
      "copy_file_range(3" + path + ", [N], 3" + path + ", [M], N, 0) = N",
      "sendfile(3" + path + ", 3" + path + ", [N], M) = M",
      "pread64(3" + path + ", \"x\"..., N, M) = N",
      "mmap(NULL, N, PROT_READ|PROT_WRITE, MAP_SHARED, 3" + path + ", M) = 0x7f0000000000",
      "msync(0x7f0000000000, N, MS_SYNC) = 0",
      "fstat(3" + path + ", {st_mode=S_IFREG|0644, st_size=N, ...}) = 0",
      "dup2(3" + path + ", N) = N",
      "close(N) = 0",
      "fsetxattr(3" + path + ", \"user.a\", \"x\"..., N, 0) = 0",
      "fchmod(3" + path + ", N) = 0",
      "fchown(3" + path + ", N, M) = 0",
      "writev(3" + path + ", [{iov_base=\"x\", iov_len=N}], 1) = N",
  };
  for (const std::string& call : calls) {
    for (const std::string& first : kNumbers) {
      for (const std::string& second : {std::string("0"), std::string("4096"), first}) {
        std::string filled;
        for (const char character : call)
          filled += character == 'N'   ? first
                    : character == 'M' ? second
                                       : std::string(1, character);
        // What had an N of its own: MAP_SHARED, FALLOC_FL_..., NULL and so on.
        if (call.find("FL_") != std::string::npos || call.find("MAP_") != std::string::npos ||
            call.find("MS_") != std::string::npos || call.find("NULL") != std::string::npos ||
            call.find("SYNC_") != std::string::npos || call.find("S_IF") != std::string::npos) {
          filled.clear();
          for (std::size_t i = 0; i < call.size(); ++i) {
            const bool alone = (i == 0 || call[i - 1] < 'A' || call[i - 1] > '_') &&
                               (i + 1 == call.size() || call[i + 1] < 'A' || call[i + 1] > '_');
            filled += alone && call[i] == 'N'   ? first
                      : alone && call[i] == 'M' ? second
                                                : std::string(1, call[i]);
          }
        }
        parts.trace =
            "1 1796038021.000000 openat(AT_FDCWD</mnt/creat>, \"/mnt/creat/f\", "
            "O_RDWR|O_CREAT, 0644) = 3" +
            path +
            " <0.000010>\n"
            "1 1796038021.001000 write(3" +
            path +
            ", \"x\"..., 10000) = 10000 <0.00001>\n"
            "1 1796038021.002000 " +
            filled +
            " <0.000010>\n"
            "1 1796038021.003000 fsync(3" +
            path +
            ") = 0 <0.001000>\n"
            "1 1796038021.005000 write(3" +
            path +
            ", \"x\"..., 10000) = 10000 <0.00001>\n"
            "1 1796038021.006000 fsync(3" +
            path +
            ") = 0 <0.001000>\n"
            "1 1796038021.008000 unlink(\"/mnt/creat/f\") = 0 <0.000010>\n"
            "1 1796038021.009000 close(3" +
            path +
            ") = 0 <0.000010>\n"
            "1 1796038021.010000 sync() = 0 <0.001000>\n";
        INFO(filled << "; left in " << workspace.folder());
        workspace.write(parts);
        message_for(request_for(workspace.folder()));
      }
    }
  }
}
