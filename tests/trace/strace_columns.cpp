// Can the columns in front of a call be told apart, in every combination strace prints?
#include <string>

#include "tests/catch.h"
#include "tests/trace/events.h"

namespace fcsim::traces::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

}  // namespace

TEST_CASE("pid columns", "[strace]") {
  CHECK(read_one("123 close(3) = 0").pid == 123);
  CHECK(read_one("123   close(3) = 0").pid == 123);
  CHECK(read_one("4194304 close(3) = 0").pid == 4194304);
  CHECK(read_one("123<ba\\76sh x> close(3) = 0").pid == 123);
  CHECK(read_one("close(3) = 0").pid == 0);
  CHECK(read_one("123 1796038166.658224 close(3) = 0").pid == 123);
  CHECK(read_one("123      0.000017 close(3) = 0").pid == 123);
}

TEST_CASE("the process that has no column is the one that gets one later", "[strace]") {
  const test::Trace trace = read_text(
      "close(1) = 0\n"
      "clone(child_stack=NULL, flags=SIGCHLD) = 200\n"
      "strace: Process 200 attached\n"
      "[pid   100] close(2) = 0\n"
      "[pid 200<x>] close(3) = 0\n"
      "[pid   100] exit_group(0) = ?\n"
      "[pid   100] +++ exited with 0 +++\n"
      "close(4) = 0\n");
  REQUIRE(trace.events.size() == 7);
  CHECK(trace.events[2].pid == 0);
  CHECK(trace.events[3].pid == 200);
  CHECK(trace.events[6].pid == 200);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("times keep their precision", "[strace]") {
  CHECK(read_one("1 1796038166.658224 close(3) = 0").start_ns == 1796038166'658224000);
  CHECK(read_one("1 1796038166.321 close(3) = 0").start_ns == 1796038166'321000000);
  CHECK(read_one("1 1796038166.123456789 close(3) = 0").start_ns == 1796038166'123456789);
  CHECK(read_one("1 1796038166 close(3) = 0").start_ns == 1796038166 * kSecond);
  CHECK(read_one("1796038166 close(3) = 0").start_ns == 1796038166 * kSecond);
  CHECK(read_one("1796038166 close(3) = 0").pid == 0);
  CHECK(read_one("01:02:03 close(3) = 0").start_ns == 3723 * kSecond);
  CHECK(read_one("9 01:02:03.5 close(3) = 0").start_ns == 3723 * kSecond + kSecond / 2);
  const test::OwnedEvent both = read_one("9 01:02:03.000007 (+     0.000011) close(3) = 0");
  CHECK(both.start_ns == 3723 * kSecond + 7000);
}

TEST_CASE("time of day goes on after midnight", "[strace]") {
  const test::Trace trace = read_text(
      "23:59:59.900000 close(3) = 0\n00:00:00.100000 close(3) = 0\n"
      "00:00:00.000000 close(3) = 0\n");
  REQUIRE(trace.events.size() == 3);
  CHECK(trace.events[1].start_ns == kDay + kSecond / 10);
  CHECK(trace.events[2].start_ns - trace.events[1].start_ns < 1000);
  CHECK(trace.statistics.reordered == 1);
  CHECK(trace.statistics.time_base == traces::TimeBase::time_of_day);
}

TEST_CASE("relative times add up, those of ignored lines too", "[strace]") {
  const test::Trace trace = read_text(
      "7      0.000000 close(3) = 0\n7      0.000100 getpid() = 7\n7      1.000000 close(4) = 0\n");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[1].start_ns == kSecond + 100'000);
  CHECK(trace.statistics.time_base == traces::TimeBase::relative);
  CHECK(trace.statistics.ignored_calls == 1);
}

TEST_CASE("durations of any precision", "[strace]") {
  CHECK(read_one("close(3) = 0 <0.000023>").duration_ns == 23'000);
  CHECK(read_one("close(3) = 0 <0.000000023>").duration_ns == 23);
  CHECK(read_one("close(3) = 0 <0.023>").duration_ns == 23'000'000);
  CHECK(read_one("close(3) = 0 <12>").duration_ns == 12 * kSecond);
  CHECK(read_one("close(3) = 0 <0.000023>").has_duration);
  CHECK_FALSE(read_text("close(3) = 0\n").statistics.has_durations);
}

TEST_CASE("columns of other options are passed over", "[strace]") {
  CHECK(read_one("5 [00007f0cb0ed0b1d] close(3) = 0").fd == 3);
  CHECK(read_one("5 [ 257] [00007f0cb0ed0b1d] close(3) = 0").fd == 3);
  CHECK(read_one("[????????????????] close(3) = 0").fd == 3);
  CHECK(read_one("5 [unconfined_u:unconfined_r:unconfined_t:s0] 1796038166.5 close(3) = 0").pid ==
        5);
  const test::OwnedEvent context =
      read_one("openat(AT_FDCWD, \"a\" [bin_t], O_RDONLY) = 3</a> [bin_t]");
  CHECK(context.path == "a");
  CHECK(context.result_path == "/a");
  const test::Trace stack = read_text(
      "close(3) = 0\n > /lib/libc.so.6(close+0x14) [0xf9]\n > ./t() [0x12]\n\nclose(4) = 0\n");
  CHECK(stack.events.size() == 2);
  CHECK(stack.statistics.unparsable == 0);
}

TEST_CASE("a clock that is set back does not reorder events", "[strace]") {
  const test::Trace trace = read_text(
      "1 1796038166.500000 close(3) = 0 <0.000001>\n1 1796038165.500000 close(4) = 0 <0.000001>\n");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[1].start_ns == trace.events[0].start_ns);
  CHECK(trace.statistics.reordered == 1);
}

}  // namespace fcsim::traces::test
