// Do the arguments of every call arrive in the fields that the event's comments promise?
#include <string>

#include "tests/catch.h"
#include "tests/trace/events.h"

namespace fcsim::traces::test {

TEST_CASE("open in its variants", "[strace]") {
  const test::OwnedEvent event = read_one(
      "openat(AT_FDCWD</tmp/st>, \"we > <ird\\n\\\"q\", O_RDWR|O_CREAT|O_TRUNC|O_DSYNC, 0644) = "
      "3</tmp/st/we \\76 \\74ird\\n\\\"q> <0.000080>");
  CHECK(event.call == traces::Call::openat);
  CHECK(event.fd == traces::kAtFdCwd);
  CHECK(event.fd_path == "/tmp/st");
  CHECK(event.path == "we > <ird\n\"q");
  CHECK(event.flags == (02U | 0100U | 01000U | 010000U));
  CHECK(event.argument == 0644);
  CHECK(event.result == 3);
  CHECK(event.result_path == "/tmp/st/we > <ird\n\"q");
  CHECK(read_one("open(\"/a\", O_RDONLY|O_LARGEFILE) = 4").flags == 0x8000);
  CHECK(read_one("creat(\"/a\", 0600) = 4").argument == 0600);
  const test::OwnedEvent how = read_one(
      "openat2(AT_FDCWD, \"o2\", {flags=O_RDWR|O_CREAT, mode=0600, resolve=RESOLVE_BENEATH}, 24) = "
      "9");
  CHECK(how.flags == 0102);
  CHECK(how.argument == 0600);
  const test::OwnedEvent tmpfile = read_one(
      "openat(AT_FDCWD, \"/tmp\", O_WRONLY|O_TMPFILE, 0600) = 12</tmp/#10952706>(deleted) <0.1>");
  CHECK(tmpfile.flags == (1U | 020200000U));
  CHECK(tmpfile.result_path == "/tmp/#10952706");
  CHECK(read_one("openat(AT_FDCWD, 0x1, O_RDONLY) = -1 EFAULT (Bad address)").path.empty());
  CHECK(read_one("open#64(\"/a\", O_RDONLY) = 4").call == traces::Call::open);
}

TEST_CASE("numbers in place of names", "[strace]") {
  const test::OwnedEvent raw = read_one("openat(-100, \"x\", 0x241, 0644) = 3");
  CHECK(raw.fd == traces::kAtFdCwd);
  CHECK(raw.flags == 0x241);
  CHECK(read_one("openat(0xffffff9c, \"x\", 0x80000) = 3").fd == traces::kAtFdCwd);
  const test::OwnedEvent verbose = read_one(
      "openat(-100 /* AT_FDCWD */, \"x\", 0x241 /* O_WRONLY|O_CREAT|O_TRUNC */, 0644) = 3");
  CHECK(verbose.fd == traces::kAtFdCwd);
  CHECK(verbose.flags == 0x241);
  CHECK(verbose.argument == 0644);
  CHECK(read_one("openat(-100</tmp/st>, \"x\", 0x80000) = 3</x>").fd_path == "/tmp/st");
  CHECK(read_one("ioctl(3, 0x6611 /* _IOC(_IOC_NONE, 0x66, 0x11, 0) */, 0) = 0").flags == 0x6611);
  CHECK(read_one("fallocate(3, 0x8000 /* FALLOC_FL_??? */, 0, 1) = 0").flags == 0x8000);
}

TEST_CASE("names of arguments", "[strace]") {
  const test::OwnedEvent write = read_one("write(fd=3</x>, buf=\"ab\", count=2) = 2");
  CHECK(write.fd == 3);
  CHECK(write.length == 2);
  const test::OwnedEvent open =
      read_one("openat(dirfd=AT_FDCWD</w>, pathname=\"a=b\", flags=O_RDWR, mode=0600) = 3");
  CHECK(open.path == "a=b");
  CHECK(open.flags == 2);
  CHECK(read_one("ioctl(fd=3, op=FS_IOC_SETFLAGS, arg=[FS_APPEND_FL]) = 0").argument == 0x20);
  CHECK(read_one("clone3(cl_args={flags=CLONE_VM, stack=NULL}, size=88) = 5").flags == 0x100);
}

TEST_CASE("paths of descriptors", "[strace]") {
  CHECK(read_one("fsync(3</mnt/a>) = 0").fd_path == "/mnt/a");
  CHECK(read_one("fsync(3</mnt/a>b>) = 0").fd_path == "/mnt/a>b");
  CHECK(read_one("fsync(3</mnt/a (deleted)>) = 0").fd_path == "/mnt/a");
  CHECK(read_one("fsync(3</mnt/a>(deleted)) = 0").fd_path == "/mnt/a");
  CHECK(read_one("fsync(3</mnt/a\\76\\40\\\\>) = 0").fd_path == "/mnt/a> \\");
  CHECK(read_one("fsync(3</mnt/a, b) = 1>) = 0").fd_path == "/mnt/a, b) = 1");
  CHECK(read_one("close(3</dev/pts/0<char 136:0>>) = 0").fd_path == "/dev/pts/0");
  CHECK(read_one("close(3<TCP:[127.0.0.1:80->127.0.0.1:9]>) = 0").fd_path ==
        "TCP:[127.0.0.1:80->127.0.0.1:9]");
  CHECK(read_one("dup2(3</a>, 4<pipe:[7]>) = 4</a>").fd2_path == "pipe:[7]");
}

TEST_CASE("data on descriptors that are no files is of no consequence", "[strace]") {
  const test::Trace trace = read_text(
      "write(1</dev/pts/0<char 136:0>>, \"x\", 1) = 1\nread(3<pipe:[1]>, \"x\", 1) = 1\n"
      "read(3<socket:[1]>, \"x\", 1) = 1\nfsync(4<anon_inode:[eventfd]>) = -1 EINVAL (Bad)\n"
      "fcntl(3</a>, F_SETLKW, {l_type=F_WRLCK}) = 0\nioctl(3</a>, TCGETS, {c_iflag=0}) = 0\n"
      "ioctl(0</dev/tty>, FIONREAD, [0]) = 0\n");
  CHECK(trace.events.empty());
  CHECK(trace.statistics.ignored_calls == 7);
  CHECK(trace.statistics.unparsable == 0);
}

TEST_CASE("data calls", "[strace]") {
  const test::OwnedEvent write =
      read_one("pwrite64(3</x>, \"\\0\\1\\2abc\"..., 4096, 8192) = 100 <0.1>");
  CHECK(write.call == traces::Call::pwrite);
  CHECK(write.length == 4096);
  CHECK(write.offset == 8192);
  CHECK(write.result == 100);
  CHECK(read_one("pwrite(3, \"\"..., 10, 20) = 10").offset == 20);
  const test::OwnedEvent vector = read_one(
      "pwritev2(3, [{iov_base=\"ab, ) = 7\", iov_len=2}, {iov_base=\"c\\\"\", iov_len=2}], 2, 5, "
      "RWF_DSYNC) = 4");
  CHECK(vector.offset == 5);
  CHECK(vector.argument == 2);
  CHECK(read_one("preadv(3, [], 0, 7) = 0").offset == 7);
  CHECK(read_one("_llseek(3, 5, [9], SEEK_CUR) = 0").result == 9);
  CHECK(read_one("lseek(3, -5, SEEK_END) = 20").offset == -5);
  CHECK(read_one("lseek(3, -5, SEEK_END) = 20").argument == 2);
  const test::OwnedEvent copy =
      read_one("copy_file_range(3</s>, [0] => [9], 4</d>, [7] => [16], 9, 0) = 9");
  CHECK(copy.fd == 4);
  CHECK(copy.fd2 == 3);
  CHECK(copy.offset == 7);
  CHECK(copy.length == 9);
  CHECK(copy.argument == 1);  // the source's offset, plus 1
  CHECK(read_one("copy_file_range(3</s>, NULL, 4</d>, NULL, 9, 0) = 9").argument == 0);
  CHECK(read_one("splice(3</s>, [0], 6<pipe:[9]>, NULL, 4096, 0) = 1").offset == -1);
  const test::OwnedEvent send = read_one("sendfile(4</d>, 3</s>, [0] => [96], 96) = 96");
  CHECK(send.fd == 4);
  CHECK(send.length == 96);
  const test::OwnedEvent allocate =
      read_one("fallocate(3, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 4096, 8192) = 0");
  CHECK(allocate.flags == 3);
  CHECK(allocate.offset == 4096);
  CHECK(allocate.length == 8192);
  CHECK(read_one("ftruncate64(3</x>, 7) = 0").length == 7);
  CHECK(read_one("truncate(\"/x\", 7) = 0").path == "/x");
  const test::OwnedEvent range = read_one("sync_file_range(3, 1, 2, SYNC_FILE_RANGE_WRITE) = 0");
  CHECK(range.offset == 1);
  CHECK(range.flags == 2);
  CHECK(read_one("sync_file_range2(3, SYNC_FILE_RANGE_WRITE, 1, 2) = 0").length == 2);
}

TEST_CASE("only what steers memory is kept of a buffer", "[strace]") {
  CHECK(read_one("write(3</proc/sys/vm/drop_caches>, \"3\\n\", 2) = 2").text == "3\n");
  CHECK(read_one("write(3</mnt/x>, \"3\\n\", 2) = 2").text.empty());
}

TEST_CASE("memory", "[strace]") {
  const test::OwnedEvent map = read_one(
      "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3</x>, 0x1000) = 0x7f0a12a24000");
  CHECK(map.fd == 3);
  CHECK(map.length == 8192);
  CHECK(map.offset == 0x1000);
  CHECK(map.argument == 3);
  CHECK(map.flags == 1);
  CHECK(map.result == 0x7f0a12a24000);
  CHECK(read_one("mmap(NULL, 1, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f").fd ==
        traces::kNoFd);
  CHECK(read_one("msync(0x1000, 4096, MS_SYNC) = 0").offset == 0x1000);
  CHECK(read_one("msync(0x1000, 4096, MS_SYNC) = 0").flags == 4);
  CHECK(read_one("mremap(0x1000, 1, 2, MREMAP_MAYMOVE) = 0x2000").argument == 2);
}

TEST_CASE("names", "[strace]") {
  const test::OwnedEvent rename = read_one(
      "renameat2(AT_FDCWD</w>, \"a\", 5</d>, \"b\", RENAME_EXCHANGE) = -1 ENOENT (No such file)");
  CHECK(rename.fd == traces::kAtFdCwd);
  CHECK(rename.fd2 == 5);
  CHECK(rename.path == "a");
  CHECK(rename.path2 == "b");
  CHECK(rename.flags == 2);
  CHECK(rename.error == 2);
  CHECK(rename.result == -1);
  const test::OwnedEvent link = read_one("symlinkat(\"target\", 3</d>, \"name\") = 0");
  CHECK(link.path == "target");
  CHECK(link.path2 == "name");
  CHECK(link.fd == 3);
  CHECK(read_one("linkat(3</a>(deleted), \"\", AT_FDCWD, \"b\", AT_EMPTY_PATH) = 0").flags ==
        0x1000);
  CHECK(read_one("unlinkat(AT_FDCWD, \"d\", AT_REMOVEDIR) = 0").flags == 0x200);
  CHECK(read_one("mknodat(AT_FDCWD, \"d\", S_IFCHR|0644, makedev(0x1, 0x3)) = 0").argument ==
        020644);
  CHECK(read_one("readlink(\"/a\", \"b\\\"c\", 4096) = 3").text == "b\"c");
  CHECK(read_one("getcwd(\"/tmp/st\", 100) = 8").text == "/tmp/st");
  CHECK(read_one("bind(8, {sa_family=AF_UNIX, sun_path=\"so\\\"ck\"}, 110) = 0").path == "so\"ck");
  CHECK(read_text("bind(8, {sa_family=AF_UNIX, sun_path=@\"x\"}, 110) = 0\n").events.empty());
  const test::OwnedEvent mount =
      read_one("mount(\"/dev/vda\", \"/mnt\", \"ext4\", MS_REMOUNT, \"commit=9\") = 0");
  CHECK(mount.path2 == "/mnt");
  CHECK(mount.flags == 32);
  CHECK(mount.text == "commit=9");
}

TEST_CASE("attributes", "[strace]") {
  CHECK(read_one("chmod(\"n\", 04755) = 0").argument == 04755);
  CHECK(read_one("fchown32(3</x>, 7, -1) = 0").argument == 7);
  CHECK(read_one("utimensat(3, NULL, NULL, 0) = 0").argument == 1);
  CHECK(read_one("utimensat(AT_FDCWD, \"x\", [UTIME_NOW, UTIME_OMIT], 0) = 0").argument == 1);
  CHECK(read_one("utimensat(AT_FDCWD, \"x\", [UTIME_OMIT, UTIME_OMIT], 0) = 0").argument == 2);
  CHECK(read_one(
            "utimensat_time64(AT_FDCWD, \"x\", [{tv_sec=1, tv_nsec=0} /* 1970-01-01T00:00:01+0000 "
            "*/, UTIME_NOW], AT_SYMLINK_NOFOLLOW) = 0")
            .argument == 0);
  CHECK(read_one("utimes(\"x\", [{tv_sec=0, tv_usec=0}, {tv_sec=0, tv_usec=0}]) = 0").argument ==
        0);
  const test::OwnedEvent xattr =
      read_one("fsetxattr(3</x>, \"user.a\", \"v\\0a\"..., 300, XATTR_CREATE) = 0");
  CHECK(xattr.path2 == "user.a");
  CHECK(xattr.text == std::string_view("v\0a", 3));
  CHECK(xattr.truncated_text);
  CHECK(xattr.length == 300);
  CHECK(xattr.flags == 1);
  const test::OwnedEvent stat = read_one(
      "newfstatat(3</x>, \"\", {st_mode=S_IFREG|0644, st_size=4104, ...}, AT_EMPTY_PATH) = 0");
  CHECK(stat.length == 4104);
  CHECK(stat.argument == 0100644);
  CHECK(stat.flags == 0x1000);
  const test::OwnedEvent statx = read_one(
      "statx(AT_FDCWD</w>, \"x\", AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW, STATX_ALL, "
      "{stx_mask=STATX_ALL, stx_attributes=0, stx_mode=S_IFDIR|0755, stx_size=4096, ...}) = 0");
  CHECK(statx.length == 4096);
  CHECK(statx.flags == 0x100);
  CHECK(statx.argument == 040755);
  CHECK(read_one("statx(3, \"\", |0x1000, 0xfff, {stx_mode=0100644, stx_size=7, ...}) = 0").flags ==
        0x1000);
}

TEST_CASE("ioctl requests", "[strace]") {
  CHECK(read_one("ioctl(3</x>, FS_IOC_SETFLAGS, [FS_JOURNAL_DATA_FL|FS_EXTENT_FL]) = 0").argument ==
        0x84000);
  CHECK(read_one("ioctl(3, _IOC(_IOC_READ|_IOC_WRITE, 0x66, 0xf, 0x28), 0x7ff) = 0").flags ==
        0xc028660f);
  CHECK(read_one("ioctl(3, _IOC(_IOC_NONE, 0x66, 0x11, 0), 0xffffffff) = 0").flags == 0x6611);
  CHECK(read_one("ioctl(3, EXT4_IOC_SWAP_BOOT) = 0").flags == 0x6611);
  const test::OwnedEvent clone = read_one("ioctl(4</d>, BTRFS_IOC_CLONE or FICLONE, 3</s>) = 0");
  CHECK(clone.flags == 0x40049409);
  CHECK(clone.fd2 == 3);
  CHECK(read_one("ioctl(3, FIFREEZE) = 0").flags == 0xc0045877);
  CHECK(read_one("ioctl(3<pipe:[1]>, FIOCLEX) = 0").flags == 0x5451);
}

TEST_CASE("descriptor tables and processes", "[strace]") {
  const test::OwnedEvent pipe = read_one("pipe2([3<pipe:[1]>, 4<pipe:[1]>], O_CLOEXEC) = 0");
  CHECK(pipe.fd == 3);
  CHECK(pipe.fd2 == 4);
  CHECK(pipe.flags == 0x80000);
  CHECK(read_one("socketpair(AF_UNIX, SOCK_STREAM, 0, [6<socket:[1]>, 7<socket:[2]>]) = 0").fd2 ==
        7);
  CHECK(read_one("socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 8").flags == 0x80000);
  const test::OwnedEvent fcntl = read_one("fcntl64(3</x>, F_DUPFD_CLOEXEC, 10) = 11</x>");
  CHECK(fcntl.argument == 1030);
  CHECK(fcntl.flags == 10);
  CHECK(read_one("fcntl(3, F_SETFL, O_RDONLY|O_APPEND) = 0").flags == 02000);
  CHECK(read_one("fcntl(3, F_GETFL) = 0x9002 (flags O_RDWR|O_DSYNC)").result == 0x9002);
  CHECK(read_one("close_range(100, 4294967295, CLOSE_RANGE_CLOEXEC) = 0").fd2 == -1);
  const test::OwnedEvent fork = read_one(
      "clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES|SIGCHLD, child_tidptr=0x7f) = 124<x>");
  CHECK(fork.flags == 0x500);
  CHECK(fork.result == 124);
  const test::OwnedEvent clone3 = read_one(
      "clone3({flags=CLONE_VM|CLONE_FS, child_tid=0x7f, exit_signal=0} => {parent_tid=[7]}, 88) = "
      "7");
  CHECK(clone3.flags == 0x300);
  CHECK(read_one("fork() = 5 /* 123 in strace's PID NS */").result == 123);
  CHECK(read_one("execve(\"/bin/x\", [\"a\", \"b) = 0\"], 0x7ff /* 37 vars */) = 0").path ==
        "/bin/x");
  const test::OwnedEvent message = read_one(
      "recvmsg(14<socket:[1]>, {msg_name=NULL, msg_control=[{cmsg_len=24, cmsg_level=SOL_SOCKET, "
      "cmsg_type=SCM_RIGHTS, cmsg_data=[15</a>, 16</b>]}], msg_flags=0}, 0) = 1");
  CHECK(message.text.find("cmsg_data=[15</a>, 16</b>]") != std::string_view::npos);
  CHECK(read_text("recvmsg(3, {msg_name=NULL}, 0) = 1\n").events.empty());
}

TEST_CASE("asynchronous operations follow their submission", "[strace]") {
  const test::Trace trace = read_text(
      "7 io_submit(0x7f, 4, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</m/a\\76>, "
      "aio_buf=\"}, {\"..., aio_nbytes=100, aio_offset=512}, {aio_data=0, "
      "aio_lio_opcode=IOCB_CMD_PWRITEV, aio_rw_flags=RWF_DSYNC, aio_fildes=4</m/b>, "
      "aio_buf=[{iov_base=\"x\", iov_len=1}, {iov_base=\"y\", iov_len=2}], aio_offset=8}, "
      "{aio_data=0, "
      "aio_lio_opcode=IOCB_CMD_FDSYNC, aio_fildes=4</m/b>}, {aio_data=0, "
      "aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3</m/a>}]) = 3 <0.000163>\n7 close(3) = 0\n");
  REQUIRE(trace.events.size() == 5);
  CHECK(trace.events[0].call == traces::Call::io_submit);
  CHECK(trace.events[0].result == 3);
  CHECK(trace.events[1].call == traces::Call::pwrite);
  CHECK(trace.events[1].fd_path == "/m/a>");
  CHECK(trace.events[1].offset == 512);
  CHECK(trace.events[1].length == 100);
  CHECK(trace.events[1].result == 100);
  CHECK(trace.events[2].call == traces::Call::pwritev);
  CHECK(trace.events[2].length == 3);
  CHECK(trace.events[2].argument == 2);
  CHECK(trace.events[3].call == traces::Call::fdatasync);
  CHECK(trace.events[3].fd == 4);
  CHECK(trace.events[3].line == 1);
  CHECK(trace.events[4].call == traces::Call::close);
}

TEST_CASE("escapes", "[strace]") {
  CHECK(read_one("unlink(\"\\x2f\\x74\\\"\") = 0").path == "/t\"");
  CHECK(read_one("unlink(\"\\1\\12\\1234\\377\") = 0").path == "\1\n\1234\377");
  CHECK(read_one("unlink(\"a\\\\\") = 0").path == "a\\");
  CHECK(read_one("unlink(\"\\t\\r\\v\\f\\a\\b\\e\\q\") = 0").path == "\t\r\v\f\a\b\x1bq");
  CHECK(read_one("unlink(\"\") = 0").path.empty());
}

}  // namespace fcsim::traces::test
