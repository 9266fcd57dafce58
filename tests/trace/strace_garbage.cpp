// Can any bytes make the reader crash, loop or disagree with itself? Real lines are mutated with a
// fixed seed; the shortcut for common lines is held against the general way. The sanitizers listen.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/trace/events.h"
#include "traces/strace/file_reader.h"

namespace fcsim::traces::test {
namespace {

constexpr std::array<std::string_view, 45> kLines = {
    "29428 1796038166.658224 write(3</mnt/x/log>, \"xxxx\"..., 4096) = 4096 <0.000020>",
    "29428 1796038166.658224 pwrite64(3</mnt/x/log>, \"x\\\"x\\\\\", 4096, 512) = 4096 <0.000020>",
    "29428 1796038166.658224 fsync(3</mnt/x/log>) = 0 <0.000412>",
    "29428 1796038166.658224 fdatasync(3) = -1 EIO (Input/output error) <0.000412>",
    "29428 1796038166.658224 read(3</mnt/x/log>, \"\", 4096) = 0 <0.000020>",
    "29428 1796038166.658224 close(3</mnt/x/log>(deleted)) = 0 <0.000020>",
    "7 openat(AT_FDCWD</tmp/st>, \"we > <ird\\n\\\"q\", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3</tmp/we "
    "\\76>",
    "7 openat2(AT_FDCWD, \"o2\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_BENEATH}, 24) = "
    "9",
    "7 ioctl(3</x>, _IOC(_IOC_READ|_IOC_WRITE, 0x66, 0xf, 0x28), 0x7ffcb457fae0) = -1 EBADF (Bad)",
    "7 ioctl(3</x>, BTRFS_IOC_CLONE or FICLONE, 3) = -1 EOPNOTSUPP (Operation not supported)",
    "7 ioctl(3</x>, FS_IOC_SETFLAGS, [FS_APPEND_FL]) = 0",
    "7 fcntl(3</x>, F_DUPFD_CLOEXEC, 10) = 11</x>",
    "7 fcntl(3</x>, F_GETFL) = 0x9002 (flags O_RDWR|O_DSYNC|O_LARGEFILE)",
    "7 pwritev2(3, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"c\\\"\", iov_len=2}], 2, 5, "
    "RWF_DSYNC) = 4",
    "7 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3</x>, 0x1000) = 0x7f0a12a24000 "
    "<0.000014>",
    "7 fsetxattr(3</x>, \"user.a\", \"v\\0a\", 3, XATTR_CREATE) = 0",
    "7 renameat2(AT_FDCWD</t>, \"a\", AT_FDCWD</t>, \"b\", RENAME_EXCHANGE) = -1 ENOENT (No such "
    "file)",
    "7 utimensat(AT_FDCWD, \"x\", [{tv_sec=1, tv_nsec=0} /* 1970-01-01T00:00:01+0000 */, "
    "UTIME_NOW], 0) = 0",
    "7 newfstatat(3</x>, \"\", {st_mode=S_IFREG|0644, st_size=4104, ...}, AT_EMPTY_PATH) = 0",
    "7 statx(3</x>, \"\", AT_EMPTY_PATH, STATX_ALL, {stx_mode=S_IFREG|0644, stx_size=4104, ...}) = "
    "0",
    "7 pipe2([4<pipe:[14069]>, 5<pipe:[14069]>], O_CLOEXEC) = 0",
    "7 bind(8<socket:[14076]>, {sa_family=AF_UNIX, sun_path=\"sock\"}, 110) = 0",
    "7 close_range(100, 4294967295, 0) = 0",
    "7 copy_file_range(3</a>, [3] => [8], 4</b>, NULL, 5, 0) = 5",
    "7 mknodat(AT_FDCWD</t>, \"dev\", S_IFCHR|0644, makedev(0x1, 0x3)) = 0",
    "7 recvmsg(14<socket:[1]>, {msg_control=[{cmsg_type=SCM_RIGHTS, cmsg_data=[15</a>, 16]}]}, 0) "
    "= 1",
    "7 clone(child_stack=NULL, flags=CLONE_VM|SIGCHLD, child_tidptr=0x7f0a12836a10) = 11782",
    "7 io_submit(0x7f, 2, [{aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</a>, aio_nbytes=9}, {}]) "
    "= 2",
    "7 clone3({flags=CLONE_VM|CLONE_FS, exit_signal=0} => {parent_tid=[7]}, 88) = 7",
    "7 set_robust_list(0x7f0a12836a20, 24 <unfinished ...>",
    "7 fsync(3</tmp/x>(deleted) <unfinished ...>",
    "8 <... set_robust_list resumed>) = 0 <0.000065>",
    "7 <... fsync resumed>) = 0 <0.000162>",
    "8 openat(AT_FDCWD, \"x\",  <unfinished ...>",
    "8 <... openat resumed>O_RDONLY) = 3</x> <0.000162>",
    "[pid    9] exit_group(3)   = ?",
    "7 +++ exited with 3 +++",
    "7 +++ superseded by execve in pid 8 +++",
    "7 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=11782} ---",
    "strace: Process 75 attached",
    "% time     seconds  usecs/call     calls    errors syscall",
    "100.00    0.000699           6       110        13 total",
    "7 12:34:56.789 (+     0.000017) [00007f0cb0ed0b1d] close(3</dev/pts/0<char 136:0>>) = 0",
    "7 \x1b[31mclose\x1b[0m(3) = 0",
    "7 wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 5",
};

// Signs that mean something, which make better mutations than arbitrary bytes.
constexpr std::string_view kSigns = "\"\\<>()[]{},=|+-?0189a/*% .\n\r\x1b\t_~#'";

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string line() { return std::string(kLines[below(kLines.size())]); }

  void mutate(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = below(text.size());
    switch (below(7)) {
      case 0:
        text[at] = kSigns[below(kSigns.size())];
        break;
      case 1:
        text.insert(at, 1, kSigns[below(kSigns.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text[at] = static_cast<char>(below(256));
        break;
      case 5: {  // a piece of another line
        const std::string other = line();
        const std::size_t from = below(other.size());
        text.insert(at, other.substr(from, below(24)));
        break;
      }
      default:
        text.insert(at, text.substr(below(text.size()), below(12)));
        break;
    }
  }

 private:
  std::mt19937 random_;
};

test::Trace read_with(const std::string& text, bool shortcut) {
  traces::strace::FileReader reader(open_memory(text, "t"), "t", 0, 0, {});
  if (!shortcut) reader.disable_shortcut();
  test::Trace trace;
  try {
    trace = drain(reader);
  } catch (const model::InputError&) {
    trace.statistics = reader.statistics();
  }
  return trace;
}

void check_equal(const std::string& text) {
  const test::Trace fast = read_with(text, true);
  const test::Trace slow = read_with(text, false);
  INFO(text);
  REQUIRE(fast.events.size() == slow.events.size());
  for (std::size_t i = 0; i < fast.events.size(); ++i) {
    REQUIRE(describe(fast.events[i]) == describe(slow.events[i]));
  }
  REQUIRE(fast.statistics.unparsable == slow.statistics.unparsable);
  REQUIRE(fast.statistics.ignored_calls == slow.statistics.ignored_calls);
  REQUIRE(fast.statistics.has_durations == slow.statistics.has_durations);
  REQUIRE(fast.statistics.has_fd_paths == slow.statistics.has_fd_paths);
}

}  // namespace

TEST_CASE("every line that the mutations start from is understood", "[strace][garbage]") {
  for (const std::string_view line : kLines) {
    if (line.starts_with('%') || line.starts_with("100.")) continue;
    const test::Trace trace = read_text("close(3) = 0\n" + std::string(line) + "\n");
    INFO(line);
    CHECK(trace.statistics.unparsable == 0);
  }
}

TEST_CASE("mutated lines give events or diagnoses, the same by either way", "[strace][garbage]") {
  Mutator mutator(20261130);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const std::size_t lines = 1 + mutator.below(4);
    for (std::size_t i = 0; i < lines; ++i) {
      std::string line = mutator.line();
      for (std::size_t count = mutator.below(4); count > 0; --count) mutator.mutate(line);
      text += line + "\n";
    }
    if (mutator.below(3) == 0) mutator.mutate(text);
    if (mutator.below(2) == 0) text += text;  // remembered lines
    check_equal(text);
  }
}

TEST_CASE("events stay in order of entry, whatever the lines", "[strace][garbage]") {
  Mutator mutator(7);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    std::string line = mutator.line();
    if (mutator.below(10) == 0) mutator.mutate(line);
    text += line + "\n";
  }
  const test::Trace trace = read_text(text);
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const test::OwnedEvent& event : trace.events) {
    REQUIRE(event.start_ns >= last);
    REQUIRE(event.call != traces::Call::other);
    last = event.start_ns;
  }
}

TEST_CASE("generated common lines are read alike by the shortcut", "[strace]") {
  Mutator random(42);
  constexpr std::array<std::string_view, 8> kCalls = {"write", "read",  "pwrite64",  "pread64",
                                                      "fsync", "close", "fdatasync", "lseek"};
  constexpr std::array<std::string_view, 9> kPaths = {
      "",           "</mnt/x>",    "</mnt/x>(deleted)",          "</mnt/a (deleted)>",
      "<pipe:[7]>", "</dev/null>", "</proc/sys/vm/drop_caches>", "</mnt/a\\76b>",
      "</mnt/a>b>"};
  constexpr std::array<std::string_view, 7> kBuffers = {
      "\"abc\"", "\"abc\"...", "\"\"", "\"a\\\"\"", "\"a\\\\\"", "0x7ffd1234", "\"\\\"), 7\"..."};
  constexpr std::array<std::string_view, 9> kResults = {"0",
                                                        "4096",
                                                        "-1 EIO (x)",
                                                        "?",
                                                        "010",
                                                        "0x10",
                                                        "9223372036854775807",
                                                        "99999999999999999999",
                                                        "4096 (INJECTED)"};
  constexpr std::array<std::string_view, 7> kDurations = {
      "", " <0.000020>", " <0.1>", " <1.000020>", " <12>", " <0.000020> ", " <0.00002x>"};
  for (int round = 0; round < 30'000; ++round) {
    const std::string_view call = kCalls[random.below(kCalls.size())];
    std::string line = random.below(2) == 0 ? "29428 1796038166.658224 " : "";
    line += std::string(call) + "(" + std::to_string(random.below(12)) +
            std::string(kPaths[random.below(kPaths.size())]);
    if (call.find("write") != std::string_view::npos ||
        call.find("read") != std::string_view::npos) {
      line += ", " + std::string(kBuffers[random.below(kBuffers.size())]) + ", " +
              std::to_string(random.below(5000));
    }
    if (call.ends_with("64")) line += ", " + std::to_string(random.below(100'000));
    if (call == "lseek") line += ", 7, SEEK_SET";
    line += ")" + std::string(1 + random.below(3), ' ') + "= " +
            std::string(kResults[random.below(kResults.size())]) +
            std::string(kDurations[random.below(kDurations.size())]);
    check_equal(line + "\n");
  }
}

}  // namespace fcsim::traces::test
