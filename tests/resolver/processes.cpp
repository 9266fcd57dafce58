// Who holds which descriptor, and when is the last one gone?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;

namespace {
constexpr std::uint64_t kThread = 0x10000 | 0x100 | 0x200 | 0x400;
Make forks(std::int32_t child) {
  return Make(Call::fork).result(child);
}
Make thread(std::int32_t child) {
  return Make(Call::fork).flags(kThread).result(child);
}
Make exited(std::int32_t pid) {
  auto make = Make(Call::process_exited).pid(pid);
  return make;
}
}  // namespace

TEST_CASE("a new file is created, opened and released", "[resolver]") {
  Scenario run;
  CHECK(run(opens("/m/a", o::create, 3)) == "create:1 in 0; open:1 w new");
  CHECK(run(writes(3, 100)) == "write:1 0+100");
  CHECK(run(Make(Call::fsync).fd(3)) == "fsync:1");
  CHECK(run(closes(3)) == "release:1 w");
  CHECK(run(writes(3, 100)).empty());
  CHECK(run.finish() == "end:-");
}

TEST_CASE("dup shares position and flags; only the last close releases", "[resolver]") {
  Scenario run;
  run(opens("a", o::create | o::append, 3));
  CHECK(run(Make(Call::dup).fd(3).result(4)).empty());
  CHECK(run(writes(3, 10)) == "write:1 0+10 append");
  CHECK(run(writes(4, 10)) == "write:1 10+10 append");
  CHECK(run(closes(3)).empty());
  CHECK(run(closes(4)) == "release:1 w");
}

TEST_CASE("dup2 closes its target, also when that is the same description", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  run(opens("b", o::create, 4));
  CHECK(run(Make(Call::dup2).fd(3).fd2(4).result(4)) == "release:2 w");
  CHECK(run(Make(Call::dup2).fd(3).fd2(4).result(4)).empty());
  CHECK(run(Make(Call::dup2).fd(4).fd2(4).result(4)).empty());
  CHECK(run(closes(3)).empty());
  CHECK(run(writes(4, 7)) == "write:1 0+7");
  CHECK(run(closes(4)) == "release:1 w");
}

TEST_CASE("fcntl duplicates to the number it returns", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  CHECK(run(Make(Call::fcntl).fd(3).argument(1030).flags(10).result(10)).empty());
  CHECK(run(closes(3)).empty());
  CHECK(run(writes(10, 1)) == "write:1 0+1");
  CHECK(run(Make(Call::execve).path("/bin/true")) == "release:1 w");
}

TEST_CASE("fork copies the table but not the position", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  run(forks(2));
  CHECK(run(writes(3, 10)) == "write:1 0+10");
  CHECK(run(writes(3, 10).pid(2)) == "write:1 10+10");
  CHECK(run(opens("b", o::create, 4).pid(2)) == "create:2 in 0; open:2 w new");
  CHECK(run(writes(4, 1)).empty());  // the parent has no 4
  CHECK(run(closes(3)).empty());
  CHECK(run(Make(Call::exit_group).pid(2).unfinished()) == "release:1 w; release:2 w");
  CHECK(run(exited(2)).empty());
}

TEST_CASE("threads share one table", "[resolver]") {
  Scenario run;
  run(thread(2));
  CHECK(run(opens("a", o::create, 3).pid(2)) == "create:1 in 0; open:1 w new");
  CHECK(run(writes(3, 5)) == "write:1 0+5");
  CHECK(run(Make(Call::exit).pid(2).unfinished()).empty());
  CHECK(run(writes(3, 5)) == "write:1 5+5");
  CHECK(run(Make(Call::exit_group).unfinished()) == "release:1 w");
}

TEST_CASE("exit_group closes when the last thread has ended", "[resolver]") {
  Scenario run;
  run(thread(2));
  run(opens("a", o::create, 3));
  CHECK(run(Make(Call::exit_group).unfinished()).empty());
  CHECK(run(exited(2)).empty());
  CHECK(run(exited(1)) == "release:1 w");
}

TEST_CASE("exit_group without printed ends closes at the end of the trace", "[resolver]") {
  Scenario run;
  run(thread(2));
  run(opens("a", o::create, 3));
  run(Make(Call::exit_group).unfinished());
  CHECK(run.finish() == "release:1 w; end:-");
}

TEST_CASE("processes still alive at the end release nothing", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  CHECK(run.finish() == "end:-");
}

TEST_CASE("a killed process closes its descriptors", "[resolver]") {
  Scenario run;
  run(forks(2));
  run(opens("a", o::create, 3).pid(2));
  CHECK(run(exited(2)) == "release:1 w");
}

TEST_CASE("CLONE_FILES without CLONE_THREAD shares the table until the last is gone",
          "[resolver]") {
  Scenario run;
  run(Make(Call::fork).flags(0x400).result(2));
  run(opens("a", o::create, 3).pid(2));
  CHECK(run(exited(2)).empty());
  CHECK(run(closes(3)) == "release:1 w");
}

TEST_CASE("unshare(CLONE_FILES) takes a copy", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  run(Make(Call::fork).flags(0x400).result(2));
  run(Make(Call::unshare).pid(2).flags(0x400));
  CHECK(run(closes(3).pid(2)).empty());
  CHECK(run(closes(3)) == "release:1 w");
}

TEST_CASE("exec closes what is marked, and nothing else", "[resolver]") {
  Scenario run;
  run(opens("a", o::create | o::close_on_exec, 3));
  run(opens("b", o::create, 4));
  run(opens("c", o::create, 5));
  run(Make(Call::fcntl).fd(5).argument(2).flags(1));
  run(opens("d", o::create | o::close_on_exec, 6));
  run(Make(Call::fcntl).fd(6).argument(2).flags(0));
  CHECK(run(Make(Call::execve).path("/bin/no").error(2)).empty());
  CHECK(run(Make(Call::execve).path("/bin/true")) == "release:1 w; release:3 w");
}

TEST_CASE("exec of a program on the file system reads it", "[resolver]") {
  Scenario run("f\t755\t12\t1\t100\t8\tprogram\t0:100:1\n");
  CHECK(run(Make(Call::execve).path("./program")) == "read:1 0+0");
}

TEST_CASE("exec of a vforked child leaves the parent's table alone", "[resolver]") {
  Scenario run;
  run(opens("a", o::create | o::close_on_exec, 3));
  run(Make(Call::fork).flags(0x4100).result(2));
  CHECK(run(Make(Call::execve).pid(2).path("/bin/true")).empty());
  CHECK(run(closes(3)) == "release:1 w");
}

TEST_CASE("exec in a thread ends the others and takes the leader's number", "[resolver]") {
  Scenario run;
  run(opens("a", o::create | o::close_on_exec, 3));
  run(opens("b", o::create, 4));
  run(thread(2));
  run(thread(3));
  CHECK(run(Make(Call::execve).pid(2).path("/bin/true")) == "release:1 w");
  CHECK(run(Make(Call::process_replaced).pid(1).result(2)).empty());
  CHECK(run(writes(4, 3)) == "write:2 0+3");
  CHECK(run(Make(Call::exit_group).unfinished()) == "release:2 w");
}

TEST_CASE("exec in a thread known only by 'superseded'", "[resolver]") {
  Scenario run;
  run(opens("b", o::create, 4));
  run(thread(2));
  run(Make(Call::process_replaced).pid(1).result(2));
  CHECK(run(Make(Call::exit_group).unfinished()) == "release:1 w");
}

TEST_CASE("a number that is used again ends its earlier bearer", "[resolver]") {
  Scenario run;
  run(forks(2));
  run(opens("a", o::create, 3).pid(2));
  CHECK(run(forks(2)) == "release:1 w");
}

TEST_CASE("close between entry and return of an open takes the old descriptor", "[resolver]") {
  Scenario run;
  run(thread(2));
  run(opens("old", o::create, 5));
  run(Make(Call::getcwd).text("/m").result(3));
  // Thread 2 opens from 10000 to 20000 and gets 5, because thread 1 closes 5 at 12000.
  run(opens("new", o::create, 5).pid(2).start(10000).duration(10000));
  CHECK(run(closes(5).start(12000)) == "release:1 w");
  CHECK(run(writes(5, 3).start(19000)).empty());  // not yet there
  CHECK(run(writes(5, 3).start(20000)) == "write:2 0+3");
}

TEST_CASE("a thread sees its own open at once, even without durations", "[resolver]") {
  Scenario run;
  run(thread(2));
  run(opens("a", o::create, 3).start(5000).duration(100));
  CHECK(run(writes(3, 3).start(5050)) == "write:1 0+3");
}

TEST_CASE("close_range closes or marks", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  run(opens("b", o::create, 4));
  run(opens("c", o::create, 5));
  CHECK(run(Make(Call::close_range).fd(4).fd2(4)) == "release:2 w");
  CHECK(run(Make(Call::close_range).fd(5).fd2(-1).flags(4)).empty());
  CHECK(run(Make(Call::execve).path("/bin/true")) == "release:3 w");
  CHECK(run(Make(Call::close_range).fd(0).fd2(-1)) == "release:1 w");
}

TEST_CASE("a failed close of a bad descriptor changes nothing; EINTR closes", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  CHECK(run(closes(3).error(9)).empty());
  CHECK(run(closes(3).error(4)) == "release:1 w");
}

TEST_CASE("without pids, children that never show hold nothing for ever", "[resolver]") {
  Scenario run;
  auto make = opens("a", o::create, 3);
  run(Make(Call::getcwd).pid(0).text("/m").result(3));
  run(make.pid(0));
  run(forks(77).pid(0));
  run(closes(3).pid(0));
  std::string all;
  for (int i = 0; i < 300; ++i) all += run(Make(Call::getcwd).pid(0).text("/m").result(3));
  CHECK(all == "release:1 w");
  CHECK(run.count("child processes that were not traced") == 1);
}
