// What does one operation in a transaction of its own journal? Handles, metadata blocks and blocks
// logged as measured on 6.18 (1 GiB, 4 KiB blocks, 8 groups of one flex group, fast commit off).
//
// Two blocks move between rows and are chosen by the set-up: the root, the first directory and the
// first inodes (12 to 16) share one inode-table block, while a second directory in the root lies in
// group 1 with a table block of its own; its files lie in group 0 again.
#include <string>
#include <utility>
#include <vector>

#include "tests/blocks/cost.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

constexpr std::uint64_t kKeepSize = 1, kPunch = 3, kZero = 0x10;  // modes of fallocate(2)

struct Row {
  std::string name;
  Step set_up;
  Step operation;
  Cost cost;
  bool first_directory = true;
};

// ---- set-ups ----

void second_directory(World& w, Files& f) {
  f.directories.push_back(w.make_directory("second"));
}

// A closed file of `bytes` in the directory, flushed.
FileId file_in(World& w, Files& f, FileId directory, const std::string& name, std::int64_t bytes) {
  const FileId file = w.create(name, directory);
  if (bytes != 0) w.write(file, 0, bytes);
  w.fsync(file);
  w.close(file);
  f.files.push_back(file);
  return file;
}

Step root_file(std::int64_t bytes) {
  return [bytes](World& w, Files& f) { file_in(w, f, kRoot, "file", bytes); };
}

Step second_directory_file(std::int64_t bytes) {
  return [bytes](World& w, Files& f) {
    second_directory(w, f);
    file_in(w, f, f.directory(1), "file", bytes);
  };
}

Step open_root_file(std::int64_t bytes) {
  return [bytes](World& w, Files& f) { w.open(file_in(w, f, kRoot, "file", bytes)); };
}

Step preallocated(std::vector<std::int64_t> written_blocks) {
  return [written_blocks = std::move(written_blocks)](World& w, Files& f) {
    const FileId file = w.create("file");
    f.files.push_back(file);
    w.fallocate(file, 0, kMiB);
    for (const std::int64_t block : written_blocks) w.write(file, block * kBlock, kBlock);
    w.fsync(file);
  };
}

// ---- operations ----

void within_a_tick(World& w, const std::function<void()>& operations) {
  const Time step = std::exchange(w.step, 1000);
  operations();
  w.now += step;
  w.step = step;
}

Step create_empty(std::size_t directory) {  // 0: the root
  return [directory](World& w, Files& f) {
    w.close(w.create("new", directory == 0 ? kRoot : f.directory(directory)));
  };
}

Step create_and_write(std::size_t directory) {
  return [directory](World& w, Files& f) {
    within_a_tick(w, [&] {
      const FileId file = w.create("new", directory == 0 ? kRoot : f.directory(directory));
      w.write(file, 0, kBlock);
      w.close(file);
    });
  };
}

Step write_at(std::int64_t offset, std::int64_t length, std::uint32_t flags = 0) {
  return [=](World& w, Files& f) { w.write(f.file(), offset, length, flags); };
}

Step fallocate_at(std::int64_t offset, std::int64_t length, std::uint64_t mode = 0) {
  return [=](World& w, Files& f) { w.fallocate(f.file(), offset, length, mode); };
}

Step truncate_to(std::int64_t size) {
  return [=](World& w, Files& f) { w.truncate(f.file(), size); };
}

Step unlink_from(std::size_t directory) {
  return [directory](World& w, Files& f) {
    w.unlink(f.file(), "file", directory == 0 ? kRoot : f.directory(directory));
  };
}

void compare(const std::vector<Row>& rows, const model::Configuration& values) {
  for (const Row& row : rows) {
    DYNAMIC_SECTION(row.name) {
      CHECK(cost_of(values, row.set_up, row.operation, row.first_directory) == row.cost);
    }
  }
}

void compare(const std::vector<Row>& rows) {
  compare(rows, without_fast_commit());
}

}  // namespace

TEST_CASE("creating", "[blocks]") {
  compare({
      {"empty, in the root", {}, create_empty(0), {1, 4, 6}},
      {"empty, in a subdirectory", second_directory, create_empty(1), {1, 5, 7}},
      {"with 4 KiB, in the root", {}, create_and_write(0), {3, 5, 7}},
      {"with 4 KiB, in a subdirectory", second_directory, create_and_write(1), {3, 6, 8}},
      {"temporary file with 4 KiB, closed: its data is never allocated",
       {},
       [](World& w, Files&) {
         within_a_tick(w, [&] {
           const FileId file = w.make_tmpfile();
           w.write(file, 0, kBlock);
           w.close(file);
           w.evict(file);
         });
       },
       {2, 4, 6}},
      {"with 4 KiB and unlinked before any flush",
       {},
       [](World& w, Files&) {
         within_a_tick(w, [&] {
           const FileId file = w.create("new");
           w.write(file, 0, kBlock);
           w.close(file);
           w.unlink(file, "new");
         });
       },
       {3, 5, 7}},
      {"a short symbolic link",
       {},
       [](World& w, Files&) { w.make_symlink("link", 59); },
       {1, 4, 6}},
      {"a long symbolic link",
       second_directory,
       [](World& w, Files& f) { w.make_symlink("link", 60, f.directory(1)); },
       {1, 7, 9}},
  });
}

TEST_CASE("making and removing directories", "[blocks]") {
  const Step make = [](World& w, Files&) { w.make_directory("new"); };
  compare({
      {"the first one, in group 0", {}, make, {1, 6, 8}, false},
      {"in the root, in a fresh group", {}, make, {1, 8, 10}},
      {"in the root, in a group already used", second_directory, make, {1, 7, 9}},
      {"in a subdirectory",
       second_directory,
       [](World& w, Files& f) { w.make_directory("new", f.directory(1)); },
       {1, 7, 9}},
      {"removing",
       second_directory,
       [](World& w, Files& f) { w.remove_directory(f.directory(1), "second"); },
       {2, 7, 10}},
  });
}

TEST_CASE("writing", "[blocks]") {
  compare({
      {"append of a block", open_root_file(kBlock), write_at(kBlock, kBlock), {3, 3, 5}},
      {"append inside an allocated block", open_root_file(100), write_at(100, 100), {2, 1, 3}},
      {"append of 1 MiB", open_root_file(kBlock), write_at(kBlock, kMiB), {3, 3, 5}},
      {"overwrite in a new tick", open_root_file(kBlock), write_at(0, kBlock), {1, 1, 3}},
      {"overwrite in the tick of the last write",
       [](World& w, Files& f) {
         open_root_file(kBlock)(w, f);
         w.syncfs();
         w.step = 1;
         w.now = (w.now / (4 * kMillisecond) + 1) * 4 * kMillisecond;
         w.write(f.file(), 0, kBlock);
         w.now += kMillisecond;
         w.step = kMillisecond;
       },
       write_at(0, kBlock),
       {0, 0, 0}},
      {"into unwritten blocks, without a leaf", preallocated({}), write_at(0, kBlock), {3, 1, 3}},
      {"into unwritten blocks, the fifth extent",
       preallocated({10}),
       write_at(20 * kBlock, kBlock),
       {3, 4, 6}},
      {"into unwritten blocks, with a leaf",
       preallocated({10, 20}),
       write_at(30 * kBlock, kBlock),
       {3, 2, 4}},
      {"direct append of 4 KiB",
       open_root_file(kBlock),
       write_at(kBlock, kBlock, flag::direct),
       {4, 4, 6}},
      {"direct append of 64 KiB",
       open_root_file(kBlock),
       write_at(kBlock, 16 * kBlock, flag::direct),
       {4, 4, 6}},
      {"direct overwrite", open_root_file(kBlock), write_at(0, kBlock, flag::direct), {1, 1, 3}},
      {"direct, into a hole",
       [](World& w, Files& f) {
         open_root_file(kBlock)(w, f);
         w.truncate(f.file(), kMiB);
       },
       write_at(10 * kBlock, kBlock, flag::direct),
       {3, 3, 5}},
      {"direct, into unwritten blocks, the fifth extent",
       preallocated({10}),
       write_at(20 * kBlock, kBlock, flag::direct),
       {3, 4, 6}},
  });
}

TEST_CASE("unlinking", "[blocks]") {
  compare({
      {"an empty file", root_file(0), unlink_from(0), {2, 5, 7}},
      {"a file of 4 KiB", root_file(kBlock), unlink_from(0), {2, 6, 8}},
      {"a name of two",
       [](World& w, Files& f) {
         root_file(kBlock)(w, f);
         w.link(f.file(), "other");
       },
       [](World& w, Files& f) { w.unlink(f.file(), "other", kRoot, false); },
       {1, 2, 4}},
      {"an open file",
       open_root_file(kBlock),
       [](World& w, Files& f) { w.unlink(f.file(), "file", kRoot, false); },
       {1, 3, 5}},
      {"the last close of an unlinked file",
       [](World& w, Files& f) {
         open_root_file(kBlock)(w, f);
         w.unlink(f.file(), "file", kRoot, false);
       },
       [](World& w, Files& f) {
         w.close(f.file());
         w.evict(f.file());
       },
       {1, 5, 7}},
      // 64 MiB lie in two groups once another file has taken half of group 1.
      {"a file of 64 MiB in two groups",
       [](World& w, Files& f) {
         const FileId other = w.create("other");
         w.write(other, 0, 96 * kMiB);
         w.fsync(other);
         file_in(w, f, kRoot, "file", 64 * kMiB);
         w.now += kSecond;  // the device is not done with so much at once
       },
       unlink_from(0),
       {2, 7, 9}},
      {"a file of 2000 extents",
       [](World& w, Files& f) {
         const FileId file = w.create("file");
         for (std::int64_t i = 0; i < 2000; ++i) w.write(file, 2 * i * kBlock, kBlock);
         w.fsync(file);
         w.close(file);
         f.files.push_back(file);
       },
       unlink_from(0),
       {2, 6, 9}},
      {"a long symbolic link",
       [](World& w, Files& f) {
         second_directory(w, f);
         f.files.push_back(w.make_symlink("file", 60, f.directory(1)));
       },
       unlink_from(1),
       {2, 7, 10}},
  });
}

TEST_CASE("renaming and linking", "[blocks]") {
  compare({
      {"within the root",
       root_file(kBlock),
       [](World& w, Files& f) { w.rename(f.file(), "file", kRoot, "renamed", kRoot); },
       {1, 2, 4}},
      {"within a subdirectory",
       second_directory_file(kBlock),
       [](World& w, Files& f) {
         w.rename(f.file(), "file", f.directory(1), "renamed", f.directory(1));
       },
       {1, 3, 5}},
      {"to another directory",
       [](World& w, Files& f) {
         second_directory(w, f);
         file_in(w, f, kRoot, "file", kBlock);
       },
       [](World& w, Files& f) { w.rename(f.file(), "file", kRoot, "file", f.directory(1)); },
       {1, 4, 6}},
      {"over a file",
       [](World& w, Files& f) {
         second_directory(w, f);
         file_in(w, f, f.directory(1), "file", kBlock);
         file_in(w, f, f.directory(1), "other", kBlock);
       },
       [](World& w, Files& f) {
         w.rename(f.file(1), "other", f.directory(1), "file", f.directory(1), f.file(0));
       },
       {2, 7, 9}},
      {"a written temporary over a file",
       root_file(kBlock),
       [](World& w, Files& f) {
         within_a_tick(w, [&] {
           const FileId file = w.create("new");
           w.write(file, 0, kBlock);
           w.close(file);
           w.rename(file, "new", kRoot, "file", kRoot, f.file());
         });
       },
       {5, 6, 8}},
      // The second and the third directory lie in one group and one table block.
      {"a directory to another directory",
       [](World& w, Files& f) {
         second_directory(w, f);
         f.directories.push_back(w.make_directory("third"));
       },
       [](World& w, Files& f) {
         w.rename(f.directory(2), "third", kRoot, "third", f.directory(1));
       },
       {1, 5, 7}},
      {"a second name",
       root_file(kBlock),
       [](World& w, Files& f) { w.link(f.file(), "other"); },
       {1, 2, 4}},
  });
}

TEST_CASE("attributes", "[blocks]") {
  const Step set_large = [](World& w, Files& f) {
    root_file(kBlock)(w, f);
    w.set_xattr(f.file(), "user.large", 500, 1);
  };
  compare({
      {"chmod", root_file(kBlock), [](World& w, Files& f) { w.chmod(f.file()); }, {1, 1, 3}},
      {"chown", root_file(kBlock), [](World& w, Files& f) { w.chown(f.file(), 7); }, {2, 1, 3}},
      {"utime", root_file(kBlock), [](World& w, Files& f) { w.utime(f.file()); }, {1, 1, 3}},
      {"xattr in the inode",
       root_file(kBlock),
       [](World& w, Files& f) { w.set_xattr(f.file(), "user.a", 10, 1); },
       {1, 1, 3}},
      {"xattr in the inode, replaced",
       [](World& w, Files& f) {
         root_file(kBlock)(w, f);
         w.set_xattr(f.file(), "user.a", 10, 1);
       },
       [](World& w, Files& f) { w.set_xattr(f.file(), "user.a", 10, 2); },
       {1, 1, 3}},
      {"the same xattr again is a transaction without blocks",
       [](World& w, Files& f) {
         root_file(kBlock)(w, f);
         w.set_xattr(f.file(), "user.a", 10, 1);
       },
       [](World& w, Files& f) { w.set_xattr(f.file(), "user.a", 10, 1); },
       {1, 0, 1}},
      {"xattr of 500 bytes",
       root_file(kBlock),
       [](World& w, Files& f) { w.set_xattr(f.file(), "user.large", 500, 1); },
       {1, 4, 6}},
      {"xattr of 500 bytes, replaced",
       set_large,
       [](World& w, Files& f) { w.set_xattr(f.file(), "user.large", 500, 2); },
       {1, 2, 4}},
      {"xattr of 500 bytes, removed",
       set_large,
       [](World& w, Files& f) { w.remove_xattr(f.file(), "user.large"); },
       {1, 3, 6}},
  });
}

TEST_CASE("sizes and preallocation", "[blocks]") {
  compare({
      {"truncate that frees blocks", open_root_file(2 * kBlock), truncate_to(kBlock), {3, 4, 6}},
      {"truncate of an empty file", open_root_file(0), truncate_to(0), {2, 2, 4}},
      {"truncate to the same size", open_root_file(kBlock), truncate_to(kBlock), {2, 2, 4}},
      {"truncate that extends", open_root_file(kBlock), truncate_to(kMiB), {2, 1, 3}},
      {"truncated to nothing, written again and closed",
       open_root_file(kBlock),
       [](World& w, Files& f) {
         within_a_tick(w, [&] {
           w.truncate(f.file(), 0);
           w.write(f.file(), 0, kBlock);
           w.close(f.file());
         });
       },
       {5, 4, 6}},
      {"fallocate of 1 MiB", open_root_file(0), fallocate_at(0, kMiB), {2, 3, 5}},
      // Four handles were seen too: a preallocation of several pieces has a handle for each.
      {"fallocate of 1 MiB again", preallocated({}), fallocate_at(0, kMiB), {2, 1, 3}},
      {"punch", open_root_file(kMiB), fallocate_at(10 * kBlock, kBlock, kPunch), {2, 3, 5}},
      {"punch that makes the fifth extent",
       [](World& w, Files& f) {
         open_root_file(kMiB)(w, f);
         for (const std::int64_t block : {10, 20, 30})
           w.fallocate(f.file(), block * kBlock, kBlock, kPunch);
       },
       fallocate_at(40 * kBlock, kBlock, kPunch),
       {2, 4, 6}},
      // One handle where the file's times are of this tick already, as measured; else two.
      {"punch of a hole",
       [](World& w, Files& f) {
         open_root_file(kMiB)(w, f);
         w.fallocate(f.file(), 10 * kBlock, kBlock, kPunch);
       },
       fallocate_at(10 * kBlock, kBlock, kPunch),
       {2, 1, 3}},
      {"zero range that frees the leaf",
       preallocated({10, 20}),
       fallocate_at(20 * kBlock, kBlock, kZero),
       {2, 3, 6}},
      {"preallocation beyond the size",
       open_root_file(0),
       fallocate_at(0, kMiB, kKeepSize),
       {2, 3, 5}},
  });
}

TEST_CASE("1 KiB blocks", "[blocks]") {
  // Four inodes a table block: the root and the first file do not share one. mke2fs makes a file
  // system of 8 groups of 8192 blocks of 64 MiB.
  model::Configuration values = without_fast_commit();
  values.filesystem.block_size = 1024;
  values.filesystem.block_count = 65536;
  values.filesystem.blocks_per_group = 8192;
  values.filesystem.inode_count = 16384;
  values.filesystem.inodes_per_group = 2048;
  values.filesystem.journal_blocks = 4096;
  compare({{"create with 4 KiB", {}, create_and_write(0), {3, 6, 8}, false},
           {"append", open_root_file(kBlock), write_at(kBlock, kBlock), {3, 3, 5}, false}},
          values);
}
