// What does a trace that began late or shows too little become, and is it said?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;

namespace {
constexpr const char* kEarly = "descriptors opened before the trace";
constexpr const char* kUnexplained = "descriptors of unknown origin";
}  // namespace

TEST_CASE("a descriptor from before the trace is known by its -y path", "[resolver]") {
  Scenario run("f\t644\t12\t1\t5000\t16\tf\t0:34304:2\n");
  CHECK(run(writes(7, 10).shown("/m/f")) ==
        "open:1 w; write:1 5000+10");  // position unknown: the end
  CHECK(run(writes(7, 10).shown("/m/f")) == "write:1 5010+10");
  CHECK(run(reads(8, 10).shown("/m/f")) == "open:1 w; read:1 0+10");
  CHECK(run(Make(Call::fsync).fd(7).shown("/m/f")) == "fsync:1");
  CHECK(run.count(kEarly) == 2);
  CHECK(run(closes(7).shown("/m/f")) == "release:1 w");
}

TEST_CASE("the flags of such a descriptor are learned from F_GETFL", "[resolver]") {
  Scenario run("f\t644\t12\t1\t5000\t16\tf\t0:34304:2\n");
  run(Make(Call::fcntl)
          .fd(7)
          .shown("/m/f")
          .argument(3)
          .result(static_cast<std::int64_t>(o::write | o::append | o::data_sync)));
  CHECK(run(writes(7, 10).shown("/m/f")) == "write:1 5000+10 dsync append");
}

TEST_CASE("descriptors elsewhere are none of ours", "[resolver]") {
  Scenario run;
  CHECK(run(writes(1, 10).shown("/dev/pts/0")).empty());
  CHECK(run(writes(9, 10).shown("socket:[123]")).empty());
  CHECK(run.count(kEarly) == 0);
  CHECK(run.count(kUnexplained) == 0);
}

TEST_CASE("without -y a descriptor that nothing explains is counted once", "[resolver]") {
  Scenario run;
  CHECK(run(writes(1, 10)).empty());
  CHECK(run(writes(9, 10)).empty());
  CHECK(run(writes(9, 10)).empty());
  CHECK(run.count(kUnexplained) == 1);
}

TEST_CASE("an unlinked file known only by its descriptor", "[resolver]") {
  Scenario run;
  CHECK(run(writes(7, 10).shown("/m/gone (deleted)")) == "appear:1; open:1 w; write:1 0+10");
  CHECK(run(closes(7)) == "release:1 w; evict:1");
}

TEST_CASE("descriptors that were received are known by -y", "[resolver]") {
  Scenario run("f\t644\t12\t1\t5000\t16\tf\t0:34304:2\n");
  CHECK(run(Make(Call::pidfd_getfd).fd(4).fd2(9).result(5).result_shown("/m/f")) == "open:1 w");
  CHECK(run(Make(Call::fdatasync).fd(5).shown("/m/f")) == "fdatasync:1");
  run(Make(Call::recvmsg).fd(4).result(1));
  CHECK(run(Make(Call::fdatasync).fd(6).shown("/m/f")) == "open:1 w; fdatasync:1");
}

TEST_CASE("without a manifest files appear once, before their first use", "[resolver]") {
  Scenario run(nullptr);
  CHECK(run(opens("d/f", o::read, 3)) == "appear:1 in 0; appear:2 in 1; open:2");
  CHECK(run(opens("d/f", o::read, 4)) == "open:2");
  CHECK(run(Make(Call::fstat).fd(3).argument(0100644).length(7000)) ==
        "appear:2 7000 again; stat:2");
  CHECK(run(Make(Call::fstat).fd(3).argument(0100644).length(7000)) == "stat:2");
  CHECK(run(Make(Call::unlink).path("x")) == "appear:3 in 0; unlink:3 in 0; evict:3");
  CHECK(run(Make(Call::rename).path("a").path2("b")) == "appear:3 in 0; rename:3 in 0 to 0");
  CHECK_FALSE(run.resolver().assumed().empty());
}

TEST_CASE("sizes of files that appeared: from lseek and from reads", "[resolver]") {
  Scenario run(nullptr);
  run(opens("f", o::both, 3));
  CHECK(run(reads(3, 100)) == "appear:1 100 again; read:1 0+100");
  CHECK(run(Make(Call::lseek).fd(3).offset(0).argument(2).result(900)) == "appear:1 900 again");
  run(opens("f", o::write | o::append, 4));
  CHECK(run(writes(4, 1)) == "write:1 900+1 append");
}

TEST_CASE("without a manifest O_CREAT of an unknown name is a creation, and that is said",
          "[resolver]") {
  Scenario run(nullptr);
  CHECK(run(opens("f", o::create, 3)) == "create:1 in 0; open:1 w new");
  CHECK(run.resolver().assumed().size() == 1);
  CHECK(run(reads(3, 100)) == "appear:1 100 again; read:1 0+100");
  CHECK(run.count("files taken as new that held data") == 1);
}

TEST_CASE("a file that stat showed before is not created by O_CREAT", "[resolver]") {
  Scenario run(nullptr);
  CHECK(run(Make(Call::stat).path("f").argument(0100644).length(10)) ==
        "appear:1 in 0; appear:1 10 again; stat:1");
  CHECK(run(opens("f", o::create, 3)) == "open:1 w");
}

TEST_CASE("a directory made in the trace holds only what the trace put there", "[resolver]") {
  Scenario run(nullptr);
  run(Make(Call::mkdir).path("d"));
  CHECK(run(opens("d/f", o::create, 3)) == "create:2 in 1; open:2 w new");
  CHECK(run.resolver().assumed().empty());
}

TEST_CASE("an unknown working directory is taken as the root, and that is said", "[resolver]") {
  Scenario run(nullptr);
  CHECK(run(opens("f", o::create | o::exclusive, 3).pid(50)) == "create:1 in 0; open:1 w new");
  CHECK(run.count("relative paths without a known working directory") == 1);
}

TEST_CASE("every operation carries where it comes from", "[resolver]") {
  Scenario run;
  auto make = opens("f", o::create, 3).pid(1).start(5000).duration(70);
  make.event.source = 2;
  run(make);
  REQUIRE(run.operations().size() == 2);
  for (const auto& operation : run.operations()) {
    CHECK(operation.pid == 1);
    CHECK(operation.source == 2);
    CHECK(operation.line == 2);
    CHECK(operation.start == 5000);
    CHECK(operation.end == 5070);
  }
}

TEST_CASE("numbers out of any range do no harm", "[resolver]") {
  Scenario run;
  run(opens("a", o::create, 0x7fffffff));
  run(opens("b", o::create, -7));
  run(writes(0x7fffffff, 1));
  run(closes(-100));
  run(Make(Call::dup2).fd(3).fd2(-9).result(-9));
  run(Make(Call::close_range).fd(-5).fd2(0x7fffffff));
  run(Make(Call::fork).result(0x7fffffffffff));
  run(Make(Call::pipe).fd(-1).fd2(-1));
  run(Make(Call::fsync).fd(-100));
  CHECK(run.finish() == "end:-");
}
