// What becomes of names and files: creation, links, renames, removal, eviction?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;
using fcsim::model::FileType;

namespace {
Make unlinks(std::string_view path) {
  return Make(Call::unlink).path(path);
}
Make renames(std::string_view from, std::string_view to, std::uint64_t flags = 0) {
  return Make(Call::renameat2).at().path(from).fd2(fcsim::traces::kAtFdCwd).path2(to).flags(flags);
}
Make mkdirs(std::string_view path) {
  return Make(Call::mkdir).path(path).argument(0755);
}
Make links(std::string_view from, std::string_view to) {
  return Make(Call::link).path(from).path2(to);
}
}  // namespace

TEST_CASE("O_CREAT of a listed file is not a creation, O_TRUNC truncates it", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(opens("f", o::create, 3)) == "open:1 w");
  CHECK(run(opens("f", o::create | o::truncate, 4)) == "open:1 w; truncate:1 0 by_open");
  CHECK(run(opens("f", o::create | o::truncate, 5)) == "open:1 w; truncate:1 0 by_open");
  CHECK(run(opens("g", o::create | o::truncate, 6)) == "create:2 in 0; open:2 w new");
}

TEST_CASE("creat(2) creates and truncates", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(Make(Call::creat).path("f").result(3)) == "open:1 w; truncate:1 0 by_open");
  CHECK(run(Make(Call::creat).path("g").result(4)) == "create:2 in 0; open:2 w new");
}

TEST_CASE("unlink of an open file evicts at the last close", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  CHECK(run(unlinks("a")) == "unlink:1 in 0");
  CHECK(run(writes(3, 4)) == "write:1 0+4");
  CHECK(run(closes(3)) == "release:1 w; evict:1");
  CHECK(run(opens("a", o::create, 3)) == "create:1 in 0; open:1 w new");  // the slot is used again
}

TEST_CASE("unlink of a closed file evicts at once", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(unlinks("f")) == "unlink:1 in 0; evict:1");
  CHECK(run.operations()[0].name_length == 1);
  CHECK(run.operations()[0].name_hash == 0xaf63db4c8601ead9ULL);  // FNV-1a of "f"
}

TEST_CASE("a hard link keeps the file", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(links("f", "g")) == "link:1 in 0");
  CHECK(run(unlinks("f")) == "unlink:1 in 0");
  CHECK(run(opens("g", o::read, 3)) == "open:1");
  CHECK(run(unlinks("g")) == "unlink:1 in 0");
  CHECK(run(closes(3)) == "release:1; evict:1");
}

TEST_CASE("rename over a closed file evicts it, over an open one its last close does",
          "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 3));
  run(opens("b", o::create, 4));
  CHECK(run(renames("a", "b")) == "rename:1 in 0 to 0 over 2");
  CHECK(run(closes(4)) == "release:2 w; evict:2");
  run(opens("c", o::create, 4));
  run(closes(4));
  CHECK(run(renames("b", "c")) == "rename:1 in 0 to 0 over 2; evict:2");
}

TEST_CASE("rename to another name of the same file does nothing", "[resolver]") {
  Scenario run(kOneFile);
  run(links("f", "g"));
  CHECK(run(renames("f", "g")).empty());
  CHECK(run(renames("f", "f")).empty());
  CHECK(run(unlinks("f")) == "unlink:1 in 0");
}

TEST_CASE("children move with their directory", "[resolver]") {
  Scenario run;
  CHECK(run(mkdirs("d")) == "mkdir:1 in 0");
  CHECK(run(mkdirs("d/e/")) == "mkdir:2 in 1");
  run(opens("d/e/f", o::create, 3));
  CHECK(run(renames("d", "x")) == "rename:1 in 0 to 0");
  CHECK(run(opens("x/e/f", o::read, 4)) == "open:3");
  CHECK(run.resolver().path_of(3) == "x/e/f");
  CHECK(run.resolver().path_of(0) == ".");
}

TEST_CASE("a directory cannot move below itself, whatever the trace says", "[resolver]") {
  Scenario run;
  run(mkdirs("d"));
  run(mkdirs("d/e"));
  CHECK(run(renames("d", "d/e/d")).empty());
  CHECK(run.resolver().path_of(2) == "d/e");
}

TEST_CASE("RENAME_EXCHANGE swaps, also directories with files", "[resolver]") {
  Scenario run;
  run(mkdirs("d"));
  run(opens("d/a", o::create, 3));
  run(opens("b", o::create, 4));
  CHECK(run(renames("d", "b", 2)) == "exchange:1 in 0 to 0 over 3");
  CHECK(run(opens("b/a", o::read, 5)) == "open:2");
  CHECK(run(opens("d", o::read, 6)) == "open:3");
}

TEST_CASE("RENAME_WHITEOUT leaves a device", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(renames("f", "g", 4)) == "rename:1 in 0 to 0 whiteout");
  CHECK(run.operations()[0].value == 2);
  CHECK(run(unlinks("f")) == "unlink:2 in 0; evict:2");
}

TEST_CASE("rmdir evicts unless the directory is open or a working directory", "[resolver]") {
  Scenario run;
  run(mkdirs("a"));
  CHECK(run(Make(Call::rmdir).path("a")) == "rmdir:1 in 0; evict:1");
  run(mkdirs("a"));
  run(opens("a", o::directory, 3));
  CHECK(run(Make(Call::unlinkat).at().path("a").flags(0x200)) == "rmdir:1 in 0");
  CHECK(run(closes(3)) == "release:1; evict:1");
  run(mkdirs("a"));
  run(Make(Call::chdir).path("a"));
  CHECK(run(Make(Call::rmdir).path("/m/a")) == "rmdir:1 in 0");
  CHECK(run(Make(Call::chdir).path("/m")) == "evict:1");
}

TEST_CASE("O_TMPFILE has no name until linkat gives it one", "[resolver]") {
  Scenario run;
  CHECK(run(opens(".", o::temporary | o::both, 3)) == "tmpfile:1 in 0; open:1 w new");
  CHECK(run(writes(3, 9)) == "write:1 0+9");
  CHECK(run(closes(3)) == "release:1 w; evict:1");
  run(opens("/m", o::temporary | o::both, 3));
  CHECK(run(Make(Call::linkat).fd(3).fd2(fcsim::traces::kAtFdCwd).path2("t").flags(0x1000)) ==
        "link:1 in 0");
  CHECK(run(closes(3)) == "release:1 w");
  run(opens("/m", o::temporary | o::both, 3));
  CHECK(run(Make(Call::linkat)
                .at()
                .path("/proc/self/fd/3")
                .fd2(fcsim::traces::kAtFdCwd)
                .path2("u")
                .flags(0x400)) == "link:2 in 0");
}

TEST_CASE("special files and sockets", "[resolver]") {
  Scenario run;
  CHECK(run(Make(Call::mknod).path("p").argument(0010644)) == "mknod:1 in 0");
  CHECK(run.operations()[0].type == FileType::fifo);
  CHECK(run(Make(Call::mknodat).at().path("c").argument(0020644)) == "mknod:2 in 0");
  CHECK(run.operations()[0].type == FileType::device);
  CHECK(run(Make(Call::mknod).path("r").argument(0100644)) == "create:3 in 0");
  CHECK(run(Make(Call::bind).fd(9).path("s")) == "mknod:4 in 0");
  CHECK(run.operations()[0].type == FileType::socket);
  run(opens("p", o::write, 3));
  CHECK(run(writes(3, 10)).empty());  // into the pipe, not the file system
}

TEST_CASE("symbolic links: length, target, last component", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(symlinks("f", "l")) == "symlink:2 in 0 1");
  CHECK(run(opens("l", o::read, 3)) == "follow:2; open:1");
  CHECK(run(Make(Call::lstat).path("l")) == "stat:2");
  CHECK(run(Make(Call::stat).path("l")) == "follow:2; stat:1");
  CHECK(run(Make(Call::readlink).path("l").text("f").result(1)) == "lookup:2; read:2 0+1");
  CHECK(run(Make(Call::readlink).path("f").error(22)) == "lookup:1");
  CHECK(run(unlinks("l")) == "unlink:2 in 0; evict:2");
}

TEST_CASE("failed calls are dropped; EEXIST looked the file up", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(mkdirs("f").error(17)) == "lookup:1");
  CHECK(run(mkdirs("d").error(13)).empty());
  CHECK(run(opens("f", o::create | o::exclusive, 0).error(17)) == "lookup:1");
  CHECK(run(opens("nothing", o::read, 0).error(2)).empty());
  CHECK(run(symlinks("x", "f").error(17)) == "lookup:1");
  CHECK(run(unlinks("g").error(2)).empty());
  CHECK(run(renames("f", "f", 1).error(17)) == "lookup:1");
  CHECK(run(Make(Call::access).path("f")) == "lookup:1");
  CHECK(run(Make(Call::access).path("g").error(2)).empty());
}

TEST_CASE("what must have been removed by someone else goes first", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(opens("f", o::create | o::exclusive, 3)) ==
        "unlink:1 in 0; evict:1; create:1 in 0; open:1 w new");
  CHECK(run.count("names changed by someone outside the trace") == 1);
}

TEST_CASE("names that cannot be there are left out and counted", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(Make(Call::stat).path("scripts/run.py")).empty());
  CHECK(run(unlinks("g")).empty());
  CHECK(run(renames("g", "h")).empty());
  CHECK(run.count("names that neither the manifest nor the trace explains") == 3);
}

TEST_CASE("a path shown without its root lies on another file system", "[resolver]") {
  Scenario run(kOneFile);
  const char* const counted = "names that neither the manifest nor the trace explains";
  CHECK(run(Make(Call::stat).path("scripts/run.py")).empty());
  CHECK(run(Make(Call::stat).path("run.py")).empty());
  CHECK(run(unlinks("g")).empty());
  CHECK(run.count(counted) == 3);
  CHECK(run(opens("scripts/run.py", o::read, 3).result_shown("scripts/run.py")).empty());
  CHECK(run.count(counted) == 2);
  CHECK(run(opens("run.py", o::read, 4).result_shown("run.py")).empty());
  CHECK(run.count(counted) == 1);
  CHECK(run(Make(Call::stat).path("scripts/run.py")).empty());
  CHECK(run(Make(Call::stat).path("run.py")).empty());
  CHECK(run.count(counted) == 1);
  CHECK(run(reads(3, 10)).empty());
}

TEST_CASE("slots of gone files are used again", "[resolver]") {
  Scenario run;
  for (int i = 0; i < 100; ++i) {
    CHECK(run(opens("a", o::create, 3)) == "create:1 in 0; open:1 w new");
    CHECK(run(closes(3)) == "release:1 w");
    CHECK(run(unlinks("a")) == "unlink:1 in 0; evict:1");
  }
}
