// Are results, halves of calls, signals and exits put together in the right order?
#include <string>

#include "tests/catch.h"
#include "tests/trace/events.h"

namespace fcsim::traces::test {

TEST_CASE("results", "[strace]") {
  CHECK(read_one("fsync(3) = -1 EIO (Input/output error)").error == 5);
  CHECK(read_one("fsync(3) = -1 (errno 524)").error == 524);
  CHECK(read_one("fsync(3) = -1 ERRNO_600 (Unknown error 600)").error == 600);
  CHECK(read_one("fsync(3) = -1 EINTR (Interrupted system call)").error == 4);
  CHECK(read_one("fsync(3) = -1 EIO (Input/output error) (INJECTED)").error == 5);
  CHECK(read_one("fsync(3) = 0 (DELAYED)").has_result);
  CHECK_FALSE(read_one("fsync(3) = ?").has_result);
  CHECK_FALSE(read_one("fsync(3) = ? <unavailable>").has_result);
  CHECK(read_one("fsync(3)                                = 0").has_result);
  CHECK(read_one("close(3) = 0 ([{fd=3}])").has_result);
  CHECK(read_one("openat(AT_FDCWD, \"a\", O_RDONLY) = 3</x <0.5>> <0.000010>").duration_ns ==
        10'000);
  CHECK(read_text("openat(AT_FDCWD, \"a\", O_RDONLY) = 3 (INJECTED)\n").events.empty());
}

TEST_CASE("what the kernel will run again is not an event", "[strace]") {
  for (const char* const name :
       {"ERESTARTSYS", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK", "ERESTARTNOINTR"}) {
    const test::Trace trace =
        read_text("fsync(3) = ? " + std::string(name) + " (To be restarted)\n" +
                  "--- SIGUSR1 {si_signo=SIGUSR1} ---\nfsync(3) = 0\n");
    CHECK(trace.events.size() == 1);
    CHECK(trace.statistics.restarted_calls == 1);
  }
  const test::Trace restart = read_text(
      "close(3) = 0\n5 restart_syscall(<... resuming interrupted futex ...> <unfinished ...>\n"
      "5 <... restart_syscall resumed>) = 0\n"
      "restart_syscall(<... resuming interrupted read ...>) = 0\n");
  CHECK(restart.events.size() == 1);
  CHECK(restart.statistics.unparsable == 0);
}

TEST_CASE("halves are joined and events come in order of entry", "[strace]") {
  const test::Trace trace = read_text(
      "1 1796038166.100000 fsync(3</x> <unfinished ...>\n"
      "2 1796038166.200000 write(4</y>, \"ab\", 2) = 2\n"
      "3 1796038166.300000 futex(0x7f, FUTEX_WAIT, 1, NULL <unfinished ...>\n"
      "2 1796038166.400000 read(5</z>,  <unfinished ...>\n"
      "1 1796038166.500000 <... fsync resumed>) = 0 <0.399000>\n"
      "2 1796038166.600000 <... read resumed>\"a) = 3\", 100) = 6\n"
      "1 1796038166.700000 close(3) = 0\n"
      "3 1796038166.800000 <... futex resumed>) = 0\n");
  REQUIRE(trace.events.size() == 4);
  CHECK(trace.events[0].call == traces::Call::fsync);
  CHECK(trace.events[0].line == 1);
  CHECK(trace.events[0].duration_ns == 399'000'000);
  CHECK(trace.events[0].fd_path == "/x");
  CHECK(trace.events[1].call == traces::Call::write);
  CHECK(trace.events[2].call == traces::Call::read);
  CHECK(trace.events[2].length == 100);
  CHECK(trace.events[2].has_duration);
  CHECK(trace.events[2].duration_ns == 200'000'000);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("the spellings of resumed", "[strace]") {
  for (const char* const rest : {"resumed>) = 2", "resumed> ) = 2", "resumed> )     = 2 <0.1>"}) {
    const test::Trace trace = read_text("1 write(4, \"ab\", 2 <unfinished ...>\n1 <... write " +
                                        std::string(rest) + "\n");
    REQUIRE(trace.events.size() == 1);
    CHECK(trace.events[0].result == 2);
    CHECK(trace.events[0].length == 2);
  }
}

TEST_CASE("unfinished again after resumed", "[strace]") {
  const test::Trace trace = read_text(
      "1 read(4,  <unfinished ...>\n1 <... read resumed>\"ab\",  <unfinished ...>\n"
      "2 close(9) = 0\n1 <... read resumed>7) = 2\n");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[0].length == 7);
  CHECK(trace.events[1].fd == 9);
}

TEST_CASE("resumed without its first half", "[strace]") {
  const test::Trace trace = read_text(
      "1 <... fsync resumed>) = 0\n1 <... openat resumed>) = 3</mnt/x>\n1 <... openat resumed>) = "
      "4\n"
      "1 <... pipe2 resumed>[5, 6], 0) = 0\n1 <... clone resumed>, child_tidptr=0x7f) = 77\n"
      "1 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 5\n"
      "1 <... getcwd resumed>\"/w\", 10) = 3\n1 <... exit_group resumed>) = ?\n");
  REQUIRE(trace.events.size() == 4);
  CHECK(trace.events[0].result_path == "/mnt/x");
  CHECK(trace.events[1].fd2 == 6);
  CHECK(trace.events[2].result == 77);
  CHECK(trace.events[3].text == "/w");
  CHECK(trace.statistics.orphan_resumed == 2);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("a killed process ends its open calls", "[strace]") {
  const test::Trace trace = read_text(
      "1 fsync(3</x> <unfinished ...>\n2 close(5) = 0\n1 <... fsync resumed>) = ?\n"
      "2 write(6, \"ab\", 2 <unfinished ...>\n2 +++ killed by SIGKILL (core dumped) +++\n"
      "1 +++ exited with 7 +++\n");
  REQUIRE(trace.events.size() == 5);
  CHECK_FALSE(trace.events[0].has_result);
  CHECK(trace.events[2].call == traces::Call::write);
  CHECK_FALSE(trace.events[2].has_result);
  CHECK(trace.events[2].length == 2);
  CHECK(trace.events[3].call == traces::Call::process_exited);
  CHECK(trace.events[3].pid == 2);
  CHECK(trace.events[4].argument == 7);
}

TEST_CASE("exit_group is yielded at entry", "[strace]") {
  const test::Trace trace = read_text(
      "1 exit_group(3 <unfinished ...>\n2 close(3) = 0\n1 <... exit_group resumed>) = ?\n"
      "1 +++ exited with 3 +++\n2 exit_group(0) = ?\n2 exit(1)   = ?\n");
  REQUIRE(trace.events.size() == 5);
  CHECK(trace.events[0].call == traces::Call::exit_group);
  CHECK(trace.events[0].argument == 3);
  CHECK(trace.events[4].call == traces::Call::exit);
  CHECK(trace.statistics.orphan_resumed == 0);
}

TEST_CASE("execve in a thread goes on as the process", "[strace]") {
  const test::Trace trace = read_text(
      "10 futex(0x7f, FUTEX_WAIT <unfinished ...>\n11 execve(\"/bin/x\", [\"x\"], 0x7f <unfinished "
      "...>\n"
      "10 +++ superseded by execve in pid 11 +++\n10 <... execve resumed>) = 0\n10 close(3) = 0\n");
  REQUIRE(trace.events.size() == 3);
  CHECK(trace.events[0].call == traces::Call::execve);
  CHECK(trace.events[0].result == 0);
  CHECK(trace.events[0].path == "/bin/x");
  CHECK(trace.events[1].call == traces::Call::process_replaced);
  CHECK(trace.events[1].pid == 10);
  CHECK(trace.events[1].result == 11);
}

TEST_CASE("a call that was never resumed does not hold the rest back", "[strace]") {
  const test::Trace lost = read_text("1 fsync(3 <unfinished ...>\n1 close(3) = 0\n");
  REQUIRE(lost.events.size() == 2);
  CHECK(lost.statistics.never_resumed == 1);
  const test::Trace end = read_text("1 fsync(3 <unfinished ...>\n2 close(3) = 0\n");
  REQUIRE(end.events.size() == 2);
  CHECK(end.events[0].call == traces::Call::fsync);
  const test::Trace detached = read_text("1 fsync(3 <detached ...>\n2 close(3) = 0\n");
  REQUIRE(detached.events.size() == 2);
  std::string text = "1 fsync(3 <unfinished ...>\n";
  for (std::size_t i = 0; i < traces::kHeldEventsMaximum + 10; ++i) text += "2 close(3) = 0\n";
  text += "1 <... fsync resumed>) = 0\n";
  const test::Trace held = read_text(text);
  CHECK(held.events.size() == traces::kHeldEventsMaximum + 11);
  CHECK(held.events[0].call == traces::Call::fsync);
  CHECK_FALSE(held.events[0].has_result);
  CHECK(held.statistics.released_early == 1);
}

TEST_CASE("calls that may wait for long are yielded at their return", "[strace]") {
  const test::Trace trace = read_text(
      "1 1796038166.100000 accept4(3<socket:[1]>, NULL, NULL, SOCK_CLOEXEC <unfinished ...>\n"
      "2 1796038166.200000 close(5) = 0\n1 1796038166.300000 <... accept4 resumed>) = 4\n"
      "2 1796038166.400000 read(6<pipe:[9]>,  <unfinished ...>\n2 1796038166.500000 <... read "
      "resumed>\"\", 1) = 0\n");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[0].call == traces::Call::close);
  CHECK(trace.events[1].call == traces::Call::new_descriptor);
  CHECK(trace.events[1].start_ns == 1796038166'300000000);
  CHECK(trace.events[1].flags == 0x80000);
}

TEST_CASE("what strace says of itself is passed over", "[strace]") {
  const test::Trace trace = read_text(
      "strace: Process 75 attached\nstrace: Process 75 attached with 37 threads\n"
      "[ Process PID=5 runs in 32 bit mode. ]\n5 [ Process PID=5 runs in x32 mode. ]\n"
      "Process 9 detached\nstrace: Process 9 detached\nclose(3) = 0\n"
      "5 --- SIGCHLD {si_signo=SIGCHLD, si_status=0} ---\n--- stopped by SIGSTOP ---\n");
  CHECK(trace.events.size() == 1);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("a line broken by a notice is put together again", "[strace]") {
  const test::Trace trace = read_text(
      "vfork(strace: Process 4 attached\n <unfinished ...>\n"
      "[pid     4] clone(child_stack=NULL, flags=CLONE_FS|SIGCHLDstrace: Process 5 attached\n"
      "strace: Process 6 attached\n, child_tidptr=0x7f) = 5\n[pid     3] <... vfork resumed>) = 4\n"
      "[pid     3] read(3, strace: Process 7 attached\n <unfinished ...>\n"
      "[pid     3] <... read resumed>\"\", 7) = 0\n");
  REQUIRE(trace.events.size() == 3);
  CHECK(trace.events[0].result == 4);
  CHECK(trace.events[0].line == 1);
  CHECK(trace.events[1].flags == 0x200);
  CHECK(trace.events[1].line == 3);
  CHECK(trace.events[2].length == 7);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("calls of no consequence may hold anything", "[strace]") {
  const test::Trace trace = read_text(
      "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 5\n"
      "poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN}])\n"
      "syscall_0x1c7(0x1, 0x2) = -1 ENOSYS (Function not implemented)\n"
      "sendto(3, \") = 7\", 5, 0, NULL, 0) = 5\nrt_sigreturn({mask=[]}) = 0\n"
      "close(3) = 0\n");
  CHECK(trace.events.size() == 1);
  CHECK(trace.statistics.ignored_calls == 5);
  CHECK(trace.statistics.unparsable == 0);
}

}  // namespace fcsim::traces::test
