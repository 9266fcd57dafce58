// What do 1, 10 and 100 operations in one transaction journal? Metadata blocks as measured on 6.18
// (1 GiB, 4 KiB blocks, fast commit off): blocks that operations share are logged once.
//
// The measured file system had one directory in group 0 before, inode 12, so files begin with inode
// 13: sixteen inodes share a table block.
#include <array>
#include <string>
#include <vector>

#include "tests/blocks/cost.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

constexpr std::array<int, 3> kCounts = {1, 10, 100};

using Many = std::function<void(World&, Files&, int)>;

struct ManyRow {
  std::string name;
  Many set_up;
  Many operation;
  std::array<std::uint32_t, 3> blocks;  // for 1, 10 and 100 operations
};

std::string numbered(int i) {
  return "f" + std::to_string(i);
}

void make_directories(World& w, Files& f, int count) {
  for (int i = 0; i < count; ++i)
    f.directories.push_back(w.make_directory("d" + std::to_string(i)));
}
void each_second_directory(World& w, Files& f, int) {
  make_directories(w, f, 1);
}

Many files_of(std::int64_t bytes) {
  return [bytes](World& w, Files& f, int count) {
    for (int i = 0; i < count; ++i) {
      const FileId file = w.create(numbered(i));
      if (bytes != 0) w.write(file, 0, bytes);
      w.close(file);
      f.files.push_back(file);
    }
    w.syncfs();
  };
}

Many each_file(std::function<void(World&, FileId, int)> operation) {
  return [operation = std::move(operation)](World& w, Files& f, int count) {
    for (int i = 0; i < count; ++i) operation(w, f.file(static_cast<std::size_t>(i)), i);
  };
}

// Files in one directory (0: the root), or each in a directory of its own.
Many create(std::int64_t bytes, bool own_directories, std::size_t directory = 0) {
  return [=](World& w, Files& f, int count) {
    for (int i = 0; i < count; ++i) {
      const FileId parent = own_directories  ? f.directory(static_cast<std::size_t>(i) + 1)
                            : directory == 0 ? kRoot
                                             : f.directory(directory);
      const FileId file = w.create(numbered(i), parent);
      if (bytes != 0) w.write(file, 0, bytes);
      w.close(file);
    }
  };
}

void replace(World& w, FileId file, int i) {
  const FileId fresh = w.create("temporary");
  w.write(fresh, 0, kBlock);
  w.close(fresh);
  w.rename(fresh, "temporary", kRoot, numbered(i), kRoot, file);
}

void create_and_unlink(World& w, Files&, int count) {
  for (int i = 0; i < count; ++i) {
    const FileId file = w.create("same");
    w.write(file, 0, kBlock);
    w.close(file);
    w.unlink(file, "same");
  }
}

void compare_many(const std::vector<ManyRow>& rows) {
  for (const ManyRow& row : rows) {
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      const int count = kCounts.at(i);
      DYNAMIC_SECTION(row.name << ", " << count) {
        const auto bound = [count](const Many& many) {
          return [&many, count](World& w, Files& f) {
            w.step = kMillisecond;
            if (many) many(w, f, count);
          };
        };
        const Cost cost = cost_of(without_fast_commit(), bound(row.set_up), bound(row.operation));
        CHECK(cost.blocks == row.blocks.at(i));
      }
    }
  }
}

}  // namespace

TEST_CASE("creating many", "[blocks]") {
  compare_many({
      {"empty files in the root", {}, create(0, false), {4, 5, 10}},
      {"files of 4 KiB in the root", {}, create(kBlock, false), {5, 6, 11}},
      {"empty files, each in a directory", make_directories, create(0, true), {5, 18, 118}},
      {"files of 4 KiB, each in a directory", make_directories, create(kBlock, true), {6, 19, 119}},
      {"empty files in one subdirectory", each_second_directory, create(0, false, 1), {5, 6, 11}},
      {"directories in the root", {}, make_directories, {8, 25, 125}},
      {"directories in a subdirectory",
       each_second_directory,
       [](World& w, Files& f, int count) {
         for (int i = 0; i < count; ++i) w.make_directory(numbered(i), f.directory(1));
       },
       {7, 17, 112}},
  });
}

TEST_CASE("writing many", "[blocks]") {
  compare_many({
      {"an append of 4 KiB to each file",
       files_of(kBlock),
       each_file([](World& w, FileId file, int) { w.write(file, kBlock, kBlock); }),
       {3, 4, 9}},
      {"appends of 4 KiB to one file",
       files_of(kBlock),
       [](World& w, Files& f, int count) {
         for (int i = 0; i < count; ++i) w.write(f.file(), (i + 1) * kBlock, kBlock);
       },
       {3, 3, 3}},
      {"an overwrite of each file",
       files_of(kBlock),
       each_file([](World& w, FileId file, int) { w.write(file, 0, kBlock); }),
       {1, 2, 7}},
      {"a truncate of each file to half",
       files_of(2 * kBlock),
       each_file([](World& w, FileId file, int) { w.truncate(file, kBlock); }),
       {4, 5, 10}},
      {"a fallocate of 64 KiB in each file",
       files_of(0),
       each_file([](World& w, FileId file, int) { w.fallocate(file, 0, 16 * kBlock); }),
       {3, 4, 9}},
  });
}

TEST_CASE("names of many", "[blocks]") {
  const Many unlink_each =
      each_file([](World& w, FileId file, int i) { w.unlink(file, numbered(i)); });
  compare_many({
      {"unlinks of empty files", files_of(0), unlink_each, {5, 6, 11}},
      {"unlinks of files of 4 KiB", files_of(kBlock), unlink_each, {6, 7, 12}},
      {"renames within the root",
       files_of(kBlock),
       each_file([](World& w, FileId file, int i) {
         w.rename(file, numbered(i), kRoot, "g" + std::to_string(i), kRoot);
       }),
       {2, 3, 8}},
      {"renames to another directory",
       [](World& w, Files& f, int count) {
         each_second_directory(w, f, 1);
         files_of(kBlock)(w, f, count);
       },
       [](World& w, Files& f, int count) {
         for (int i = 0; i < count; ++i)
           w.rename(f.file(static_cast<std::size_t>(i)), numbered(i), kRoot, numbered(i),
                    f.directory(1));
       },
       {4, 5, 10}},
      {"files replaced by written temporaries", files_of(kBlock), each_file(replace), {6, 7, 13}},
      {"files made, written and unlinked: one inode number", {}, create_and_unlink, {5, 5, 5}},
  });
}

TEST_CASE("attributes of many", "[blocks]") {
  compare_many({
      {"a chmod of each file",
       files_of(kBlock),
       each_file([](World& w, FileId file, int) { w.chmod(file); }),
       {1, 2, 7}},
      {"an xattr in each inode",
       files_of(kBlock),
       each_file([](World& w, FileId file, int) { w.set_xattr(file, "user.a", 10, 1); }),
       {1, 2, 7}},
      {"an xattr of 500 bytes, all different",
       files_of(kBlock),
       each_file([](World& w, FileId file, int i) {
         w.set_xattr(file, "user.large", 500, static_cast<std::uint64_t>(i));
       }),
       {4, 14, 109}},
      {"an xattr of 500 bytes, all the same: one block for all",
       files_of(kBlock),
       each_file([](World& w, FileId file, int) { w.set_xattr(file, "user.large", 500, 1); }),
       {4, 5, 10}},
  });
}
