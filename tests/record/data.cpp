// What of the contents of files and of programs' arguments is in a bundle?
#include "sim/machine/record/without_data.h"
#include "tests/catch.h"
#include "tests/record/machine.h"

namespace {

std::string kept(const std::string& line) {
  std::string room;
  return std::string(fcsim::machine::record::without_data(line, room));
}

}  // namespace

TEST_CASE("buffers of reads and writes are left out", "[record]") {
  CHECK(kept(R"(7 1.0 write(3</a>, "secret"..., 4096) = 4096 <0.1>)") ==
        R"(7 1.0 write(3</a>, ""..., 4096) = 4096 <0.1>)");
  CHECK(kept(R"(7 1.0 pwrite64(3</a>, "a\"b\\", 5, 0) = 5)") ==
        R"(7 1.0 pwrite64(3</a>, ""..., 5, 0) = 5)");
  const std::string vector = "7 1.0 writev(3</a>, [{iov_base=\"x\", iov_len=1}], 1) = 1";
  CHECK(kept(vector) == R"(7 1.0 writev(3</a>, [{iov_base=""..., iov_len=1}], 1) = 1)");
  CHECK(kept(R"(7 1.0 <... read resumed>"secret", 64) = 6 <0.1>)") ==
        R"(7 1.0 <... read resumed>""..., 64) = 6 <0.1>)");
  CHECK(kept(R"(7 1.0 write(3</a"b>, "secret", 6 <unfinished ...>)") ==
        R"(7 1.0 write(3</a"b>, ""..., 6 <unfinished ...>)");
  CHECK(kept(R"(7 1.0 read(3</a>, "cut)") == R"(7 1.0 read(3</a>, ""...)");
}

TEST_CASE("arguments of programs are left out, their files are not", "[record]") {
  CHECK(kept(R"(7 1.0 execve("/bin/sh", ["sh", "-c", "echo $PASSWORD"], 0x7f /* 3 vars */) = 0)") ==
        R"(7 1.0 execve("/bin/sh", [""..., ""..., ""...], 0x7f /* 3 vars */) = 0)");
}

TEST_CASE("what a prediction needs stays", "[record]") {
  for (const std::string line :
       {R"(7 1.0 openat(AT_FDCWD</a>, "b", O_RDWR) = 3</a/b>)", R"(7 1.0 rename("a", "b") = 0)",
        R"(7 1.0 fsetxattr(3</a>, "user.a", "value", 5, 0) = 0)",
        R"(7 1.0 write(3</proc/sys/vm/drop_caches>, "3\n", 2) = 2)",
        R"(7 1.0 write(3</sys/fs/cgroup/a/memory.reclaim>, "1G", 2) = 2)",
        R"(7 1.0 +++ exited with 0 +++)", R"(7 1.0 --- SIGCHLD {si_signo=SIGCHLD} ---)", "", "7"})
    CHECK(kept(line) == line);
}

TEST_CASE("a bundle holds neither contents nor arguments, unless asked to", "[strace][record]") {
  SKIP_IF(fcsim::test::no_strace());
  for (const bool asked : {false, true}) {
    const std::string bundle = fcsim::test::new_folder("data") + "/b";
    const auto recorded = fcsim::test::run(
        std::string("record --with strace --no-manifest --no-compress ") +
        (asked ? "--keep-data " : "") + "-o '" + bundle +
        "' --mount-point /dev/shm -- sh -c 'echo password1 >/dev/shm/fcsim-data; rm "
        "/dev/shm/fcsim-data'");
    INFO(recorded.errors);
    CHECK(recorded.status == 0);
    const std::string trace = fcsim::test::read_file(bundle + "/trace.strace");
    const std::string environment = fcsim::test::read_file(bundle + "/env.toml");
    CHECK(trace.find("/dev/shm/fcsim-data") != std::string::npos);
    CHECK((trace.find("password1") != std::string::npos) == asked);
    CHECK((environment.find("password1") != std::string::npos) == asked);
    CHECK(fcsim::test::run("run '" + bundle + "'").status == 0);
  }
}
