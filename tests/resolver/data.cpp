// Which bytes does a call read or write, and with which promise?
#include "tests/catch.h"
#include "tests/resolver/scenario.h"

using namespace fcsim::test;

namespace {
Make pwrite(std::int32_t fd, std::int64_t offset, std::int64_t length) {
  return Make(Call::pwrite).fd(fd).offset(offset).length(length).result(length);
}
}  // namespace

TEST_CASE("positions advance, lseek moves them, pwrite leaves them", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  CHECK(run(reads(3, 100)) == "read:1 0+100");
  CHECK(run(writes(3, 10)) == "write:1 100+10");
  CHECK(run(pwrite(3, 9000, 5)) == "write:1 9000+5");
  CHECK(run(writes(3, 10)) == "write:1 110+10");
  CHECK(run(Make(Call::lseek).fd(3).offset(0).argument(2).result(9005)).empty());
  CHECK(run(writes(3, 1)) == "write:1 9005+1");
  CHECK(run(reads(3, 0)) == "read:1 9006+0");
  CHECK(run(Make(Call::pread).fd(3).offset(8).length(4).result(4)) == "read:1 8+4");
}

TEST_CASE("short and failed writes count by their result", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  CHECK(run(writes(3, 100).result(7)) == "write:1 0+7");
  CHECK(run(writes(3, 100).error(5)).empty());
  CHECK(run(writes(3, 0)).empty());
  CHECK(run(Make(Call::writev).fd(3).result(3)) == "write:1 7+3");
  CHECK(run(Make(Call::pwritev).fd(3).offset(50).result(3)) == "write:1 50+3");
}

TEST_CASE("O_APPEND goes to the end, also for pwrite", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::write | o::append, 3));
  CHECK(run(writes(3, 10)) == "write:1 5000+10 append");
  CHECK(run(pwrite(3, 0, 10)) == "write:1 5010+10 append");
  CHECK(run(Make(Call::ftruncate).fd(3).length(0)) == "truncate:1 0");
  CHECK(run(writes(3, 10)) == "write:1 0+10 append");
  run(Make(Call::fcntl).fd(3).argument(4).flags(0));
  CHECK(run(writes(3, 10)) == "write:1 10+10");
}

TEST_CASE("fcntl sets append, direct and noatime but never sync", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both | o::data_sync, 3));
  CHECK(run(writes(3, 1)) == "write:1 0+1 dsync");
  run(Make(Call::fcntl)
          .fd(3)
          .argument(4)
          .flags(o::append | o::direct | o::no_access_time | o::sync));
  CHECK(run(writes(3, 1)) == "write:1 5000+1 direct dsync append");
  CHECK(run(Make(Call::pread).fd(3).offset(0).result(1)) == "read:1 0+1 direct noatime");
}

TEST_CASE("sync flags of open and of pwritev2", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both | o::sync | o::direct, 3));
  CHECK(run(writes(3, 1)) == "write:1 0+1 direct sync");
  CHECK(run(Make(Call::ftruncate).fd(3).length(9)) == "truncate:1 9 sync");
  run(opens("f", o::both, 4));
  const auto write_with = [](std::uint64_t flags, std::int64_t offset) {
    return Make(Call::pwritev2).fd(4).offset(offset).argument(flags).result(1);
  };
  CHECK(run(write_with(2, 5)) == "write:1 5+1 dsync");
  CHECK(run(write_with(4, 5)) == "write:1 5+1 sync");
  CHECK(run(write_with(0x10, 5)) == "write:1 9+1 append");
  CHECK(run(write_with(0, -1)) == "write:1 0+1");
  CHECK(run(write_with(0, -1)) == "write:1 1+1");
}

TEST_CASE("sizes follow truncate, fallocate and writes", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::write | o::append, 3));
  const auto fallocate = [](std::uint64_t mode, std::int64_t offset, std::int64_t length) {
    return Make(Call::fallocate).fd(3).flags(mode).offset(offset).length(length);
  };
  CHECK(run(fallocate(0, 0, 8192)) == "fallocate:1 0+8192 =0");
  CHECK(run(writes(3, 1)) == "write:1 8192+1 append");
  run(fallocate(1, 0, 100000));
  CHECK(run(writes(3, 1)) == "write:1 8193+1 append");
  run(fallocate(8, 0, 4096));
  CHECK(run(writes(3, 1)) == "write:1 4098+1 append");
  run(fallocate(0x20, 0, 4096));
  CHECK(run(writes(3, 1)) == "write:1 8195+1 append");
  run(fallocate(3, 0, 100000));
  CHECK(run(writes(3, 1)) == "write:1 8196+1 append");
  CHECK(run(Make(Call::truncate).path("f").length(5)) == "truncate:1 5");
  CHECK(run(writes(3, 1)) == "write:1 5+1 append");
  CHECK(run(fallocate(0, 0, 1).error(95)).empty());
}

TEST_CASE("copies read one file and write another", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::read, 3));
  run(opens("g", o::create, 4));
  CHECK(run(Make(Call::sendfile).fd(4).fd2(3).result(100)) == "read:1 0+100; write:2 0+100");
  CHECK(run(Make(Call::copy_file_range).fd(4).fd2(3).result(50)) ==
        "read:1 100+50; write:2 over 1 100+50");
  CHECK(run(Make(Call::copy_file_range).fd(4).fd2(3).offset(7).result(1)) ==
        "read:1 150+1; write:2 over 1 7+1");
  CHECK(run(Make(Call::copy_file_range).fd(4).fd2(3).argument(21).result(4)) ==
        "read:1 20+4; write:2 over 1 150+4");  // the source's offset, plus 1, is given
  CHECK(run.operations().back().file2 == 1);
  CHECK(run.operations().back().value == 20);
  run(Make(Call::pipe).fd(5).fd2(6));
  CHECK(run(Make(Call::splice).fd(6).fd2(3).result(10)) == "read:1 151+10");
  CHECK(run(Make(Call::splice).fd(4).fd2(5).result(10)) == "write:2 154+10");
}

TEST_CASE("clones and their ranges", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  run(opens("g", o::create | o::both, 4));
  const auto shares = [&](const Make& make) {
    run(make);
    REQUIRE(run.operations().size() == 1);
    return run.operations()[0];
  };
  const auto whole = shares(Make(Call::ioctl).fd(4).fd2(3).flags(0x40049409));
  CHECK(whole.kind == fcsim::model::OperationKind::clone);
  CHECK(whole.file == 2);
  CHECK(whole.file2 == 1);
  CHECK(whole.length == 0);
  const auto range =
      shares(Make(Call::ioctl)
                 .fd(4)
                 .flags(0x4020940d)
                 .text("{src_fd=3, src_offset=4096, src_length=8192, dest_offset=12288}"));
  CHECK(range.kind == fcsim::model::OperationKind::clone);
  CHECK(range.file2 == 1);
  CHECK(range.value == 4096);
  CHECK(range.length == 8192);
  CHECK(range.offset == 12288);
  const auto same = shares(
      Make(Call::ioctl)
          .fd(3)
          .flags(0xc0189436)
          .text(
              "{src_offset=0, src_length=4096, dest_count=1, info=[{dest_fd=4, dest_offset=0}]}"));
  CHECK(same.kind == fcsim::model::OperationKind::dedupe);
  CHECK(same.file == 2);
  CHECK(same.file2 == 1);
}

TEST_CASE("strace -y looks at files without a name", "[resolver]") {
  namespace flag = fcsim::model::operation_flag;
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  run(writes(3, 1));
  CHECK((run.operations().back().flags & flag::observed) == 0);
  run(Make(Call::unlink).path("f"));
  run(writes(3, 1).shown("/m/f (deleted)"));
  CHECK((run.operations().back().flags & flag::observed) != 0);
  run(writes(3, 1));  // without -y nobody looks
  CHECK((run.operations().back().flags & flag::observed) == 0);
}

TEST_CASE("durability calls, on files and on directories", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  run(opens(".", o::directory, 4));
  CHECK(run(Make(Call::fsync).fd(4)) == "fsync:0");
  CHECK(run.operations()[0].type == fcsim::model::FileType::directory);
  CHECK(run(Make(Call::fdatasync).fd(3)) == "fdatasync:1");
  CHECK(run(Make(Call::syncfs).fd(4)) == "syncfs:0");
  CHECK(run(Make(Call::sync_file_range).fd(3).offset(1).length(2).flags(7)) ==
        "sync_range:1 1+2 =7");
  CHECK(run(Make(Call::fsync).fd(3).error(5)).empty());
  CHECK(run(Make(Call::sync)) == "sync:-");
  CHECK(run(Make(Call::sync).unfinished()) == "sync:-");
  CHECK(run(Make(Call::fsync).fd(3).unfinished()).empty());
  CHECK(run.count("calls that did not return") == 1);
}

TEST_CASE("directories are read by getdents; O_PATH opens nothing", "[resolver]") {
  Scenario run(kOneFile);
  CHECK(run(opens(".", o::directory, 3)) == "open:0");
  CHECK(run(Make(Call::getdents).fd(3).result(48)) == "read:0 0+48");
  CHECK(run(opens("f", o::path_only, 4)).empty());
  CHECK(run(Make(Call::fstat).fd(4)) == "stat:1");
  CHECK(run(closes(4)).empty());
}

TEST_CASE("writes that make the kernel forget", "[resolver]") {
  Scenario run;
  run(opens("/proc/sys/vm/drop_caches", o::write, 3));
  CHECK(run(writes(3, 2).text("3\n")) == "drop_caches:- =3");
  CHECK(run(writes(3, 2).text("1\n")) == "drop_caches:- =1");
  CHECK(run(writes(3, 2).text("4\n")).empty());
  run(opens("/sys/fs/cgroup/x/memory.reclaim", o::write, 4));
  CHECK(run(writes(4, 2).text("1G")) == "drop_caches:- =2");
}

TEST_CASE("rings and asynchronous I/O cannot be seen", "[resolver]") {
  Scenario run;
  CHECK(run(Make(Call::io_uring_enter).fd(5).result(1)).empty());
  CHECK(run(Make(Call::io_submit).result(1)).empty());
  CHECK(run.count("io_uring calls") == 1);
  CHECK(run.count("io_submit calls, taken as done in full") == 1);
}

TEST_CASE("ranges that overflow are held at the largest number", "[resolver]") {
  Scenario run(kOneFile);
  run(opens("f", o::both, 3));
  constexpr std::int64_t kLargest = 0x7fffffffffffffff;
  CHECK_FALSE(run(pwrite(3, kLargest, 100)).empty());
  run(Make(Call::lseek).fd(3).result(kLargest));
  CHECK_FALSE(run(writes(3, 100)).empty());
  run(Make(Call::mmap).fd(3).offset(0).length(kLargest).flags(1).argument(3).result(4096));
  run(Make(Call::munmap).offset(-5).length(kLargest));
  run(Make(Call::msync).offset(kLargest).length(kLargest).flags(4));
}
