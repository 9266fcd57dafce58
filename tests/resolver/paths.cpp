// Where does a path lead?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;

namespace {
constexpr const char* kTree =
    "d\t755\t12\t2\t4096\t8\td\n"
    "f\t644\t13\t1\t0\t0\td/f\n"
    "d\t755\t14\t2\t4096\t8\td/e\n"
    "f\t644\t15\t1\t0\t0\ttop\n";
constexpr int kD = 1;
Make stats(std::string_view path) {
  return Make(Call::stat).path(path);
}
}  // namespace

TEST_CASE("dots, double and trailing slashes", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(stats("/m//d/./f")) == "stat:2");
  CHECK(run(stats("d/e/../f")) == "stat:2");
  CHECK(run(stats("d/e/../../top")) == "stat:4");
  CHECK(run(stats("d/e///")) == "stat:3");
  CHECK(run(stats(".")) == "stat:0");
  CHECK(run(stats("/m")) == "stat:0");
  CHECK(run(stats("/m/")) == "stat:0");
  CHECK(run(stats("..")).empty());
  CHECK(run(stats("../m/top")) == "stat:4");
  CHECK(run(stats("../../../m/d/f")) == "stat:2");
  CHECK(run(stats("/usr/../m/top")) == "stat:4");
}

TEST_CASE("only what lies at or below the mount point counts", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(stats("/mm/top")).empty());
  CHECK(run(stats("/etc/passwd")).empty());
  CHECK(run(opens("/etc/x", o::create, 3)).empty());
  CHECK(run(writes(3, 10)).empty());
  CHECK(run(Make(Call::fsync).fd(3)).empty());
  CHECK(run(Make(Call::rename).path("/tmp/a").path2("/tmp/b")).empty());
}

TEST_CASE("working directories: chdir, fchdir, and who shares them", "[resolver]") {
  Scenario run(kTree);
  run(Make(Call::chdir).path("d"));
  CHECK(run(stats("f")) == "stat:2");
  run(Make(Call::fork).result(2));
  run(Make(Call::chdir).path("e").pid(2));
  CHECK(run(stats("f").pid(2)).empty());
  CHECK(run(stats("../f").pid(2)) == "stat:2");
  CHECK(run(stats("f")) == "stat:2");
  run(Make(Call::fork).flags(0x200).result(3));
  run(Make(Call::chdir).path("..").pid(3));
  CHECK(run(stats("top")) == "stat:4");
  CHECK(run(opens("d", o::directory, 3)) == "open:1");
  run(Make(Call::fchdir).fd(3));
  CHECK(run(stats("f")) == "stat:2");
  run(Make(Call::chdir).path("/usr"));
  CHECK(run(stats("f")).empty());
  CHECK(run(stats("../m/top")) == "stat:4");
}

TEST_CASE("-y tells and corrects the working directory", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(Make(Call::fstatat).pid(9).at("/m/d").path("f")) == "stat:2");
  CHECK(run(stats("f").pid(9)) == "stat:2");
  // Also with an absolute path, and when our idea of it was wrong.
  CHECK(run(Make(Call::fstatat).pid(9).at("/m/d/e").path("/m/top")) == "stat:4");
  CHECK(run(stats("../f").pid(9)) == "stat:2");
}

TEST_CASE("relative to a directory descriptor", "[resolver]") {
  Scenario run(kTree);
  run(opens("d", o::directory, 3));
  CHECK(run(Make(Call::fstatat).fd(3).path("f")) == "stat:2");
  CHECK(run(Make(Call::fstatat).fd(3).path("../top")) == "stat:4");
  CHECK(run(Make(Call::fstatat).fd(3).path("/m/top")) == "stat:4");
  CHECK(run(Make(Call::fstatat).fd(3).path("").flags(0x1000)) == "stat:1");
  CHECK(run(Make(Call::openat).fd(3).path("n").flags(o::create).result(4)) ==
        "create:5 in 1; open:5 w new");
  run(opens("/usr", o::directory, 5));
  CHECK(run(Make(Call::fstatat).fd(5).path("../m/top")) == "stat:4");
}

TEST_CASE("a descriptor follows its directory when that moves", "[resolver]") {
  Scenario run(kTree);
  run(opens("d", o::directory, 3));
  run(Make(Call::rename).path("d").path2("moved"));
  CHECK(run(Make(Call::fstatat).fd(3).path("f")) == "stat:2");
  CHECK(run.resolver().path_of(kD) == "moved");
}

TEST_CASE("symbolic links on the way", "[resolver]") {
  Scenario run(kTree);
  run(symlinks("d", "l"));            // 5
  run(symlinks("/m/d/e/..", "abs"));  // 6
  run(symlinks("../top", "d/up"));    // 7
  run(symlinks("loop", "loop"));      // 8
  CHECK(run(stats("l/f")) == "follow:5; stat:2");
  CHECK(run(stats("l/e/../f")) == "follow:5; stat:2");
  CHECK(run(stats("abs/f")) == "follow:6; stat:2");
  CHECK(run(stats("l/up")) == "follow:5; follow:7; stat:4");
  CHECK(run(Make(Call::lstat).path("l/")) == "follow:5; stat:1");
  CHECK(run(Make(Call::lstat).path("l")) == "stat:5");
  CHECK(run(opens("l", o::no_follow | o::path_only, 3)).empty());
  CHECK(run(Make(Call::fstat).fd(3)) == "stat:5");
  std::string loop = run(stats("loop"));
  CHECK(loop.find("stat") == std::string::npos);
  CHECK(run.count("paths through more than 40 symbolic links") == 1);
}

TEST_CASE("links that lead out of the file system and into it", "[resolver]") {
  Scenario run(kTree);
  run(symlinks("/etc", "out"));  // 5
  CHECK(run(stats("out/passwd")) == "follow:5");
  run(symlinks("/m/d", "/tmp/in"));
  CHECK(run(stats("/tmp/in/f")) == "stat:2");
  run(Make(Call::readlink).path("/var/in2").text("../m/d").result(6));
  CHECK(run(stats("/var/in2/f")) == "stat:2");
}

TEST_CASE("a link whose target nobody showed: -y's result tells, else it is counted",
          "[resolver]") {
  Scenario run("d\t755\t12\t2\t4096\t8\td\nf\t644\t13\t1\t0\t0\td/f\nl\t777\t14\t1\t1\t0\tl\n");
  CHECK(run(stats("l/f")) == "follow:3");
  CHECK(run.count("symbolic links whose target the trace does not show") == 1);
  CHECK(run(opens("l/f", o::read, 3).result_shown("/m/d/f")) == "follow:3; open:2");
  CHECK(run(stats("l/f")) == "follow:3; stat:2");  // learned
}

TEST_CASE("-y's result decides where a link outside was never shown", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(opens("/data/f", o::read, 3).result_shown("/m/d/f")) == "open:2");
  CHECK(run(opens("d/f", o::read, 4).result_shown("/elsewhere/f")).empty());
}

TEST_CASE("one directory under two absolute paths", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(opens("d/f", o::read, 3).result_shown("/m/other/name/f")) == "open:2");
  CHECK(run(stats("/m/other/name/e")) == "stat:3");
  CHECK(run(opens("/m/other/name/n", o::create, 4).result_shown("/m/other/name/n")) ==
        "create:5 in 1; open:5 w new");
}

TEST_CASE("/proc/self/fd, /proc/PID/fd and /dev/fd lead to the open file", "[resolver]") {
  Scenario run(kTree);
  run(opens("d/f", o::both, 3));
  run(opens("d", o::directory, 4));
  CHECK(run(opens("/proc/self/fd/3", o::read, 5)) == "open:2");
  CHECK(run(opens("/dev/fd/3", o::read, 6)) == "open:2");
  CHECK(run(stats("/proc/self/fd/4/f")) == "stat:2");
  CHECK(run(stats("/proc/self/cwd/top")) == "stat:4");
  run(Make(Call::fork).result(2));
  CHECK(run(opens("/proc/1/fd/3", o::read, 7).pid(2)) == "open:2");
  CHECK(run(opens("/proc/self/fd/99", o::read, 8)).empty());
  run(Make(Call::unlink).path("d/f"));
  CHECK(run(opens("/proc/self/fd/3", o::read, 9).result_shown("/m/d/f (deleted)")) == "open:2");
}

TEST_CASE("chroot: absolute paths and '..' stay inside", "[resolver]") {
  Scenario run(kTree);
  run(Make(Call::chroot).path("d"));
  run(Make(Call::chdir).path("/"));
  CHECK(run(stats("/f")) == "stat:2");
  CHECK(run(stats("/../../f")) == "stat:2");
  CHECK(run(stats("/m/top")).empty());
}

TEST_CASE("another file system mounted below ours hides what is there", "[resolver]") {
  Scenario run(kTree);
  run(Make(Call::mount).path("tmpfs").path2("/m/d"));
  CHECK(run(stats("d/f")).empty());
  CHECK(run(stats("d/../top")) == "stat:4");
  CHECK(run(opens("d/x", o::create, 3)).empty());
  run(Make(Call::umount).path("/m/d"));
  CHECK(run(stats("d/f")) == "stat:2");
}

TEST_CASE("remount and umount of the file system itself", "[resolver]") {
  Scenario run(kTree);
  CHECK(run(Make(Call::mount).path("/dev/x").path2("/m").flags(0x20)) == "remount:0");
  CHECK(run(Make(Call::mount).path2("/").flags(0x44000)).empty());
  CHECK(run(Make(Call::umount).path("/m")) == "unmount:0");
}

TEST_CASE("a mount point that nobody told: everything but the kernel's own", "[resolver]") {
  Scenario run(nullptr, "");
  CHECK(run.resolver().mount_point() == "/");
  CHECK(run(opens("/home/a", o::create, 3)) == "appear:1 in 0; create:2 in 1; open:2 w new");
  CHECK(run(opens("/proc/stat", o::read, 4)).empty());
  CHECK(run(opens("/dev/null", o::write, 5)).empty());
  CHECK(run(stats("/proc/../home/a")) == "stat:2");
  CHECK_FALSE(run.resolver().assumed().empty());
}
