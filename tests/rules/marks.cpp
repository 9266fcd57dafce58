// How often does each operation mark the transaction ineligible, under which reason? Numbers
// of 6.18 are measured, those of 6.1 read; and how long does a mark last?
#include <functional>
#include <string>
#include <vector>

#include "tests/rules/counters.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

const std::string kXattr = "Extended attributes changed";
const std::string kData = "Data journalling";

using Change = std::function<void(World&, FileId)>;
using SetUp = std::function<FileId(World&)>;

struct Row {
  std::string name;
  SetUp set_up;
  Change change;
  std::string reason;
  std::uint64_t marks;      // 6.18
  std::uint64_t marks_6_1;  // and 6.1
};

// Marks of the change alone: with it less without it.
std::uint64_t marks_of(const Row& row, const model::Configuration& values) {
  std::uint64_t counts[2] = {};
  for (const bool changed : {false, true}) {
    World w(values);
    const FileId file = row.set_up(w);
    w.syncfs();
    if (changed) row.change(w, file);
    counts[changed ? 1 : 0] = reason(w.finish(), row.reason);
  }
  return counts[1] - counts[0];
}

FileId plain_file(World& w) {
  return committed_file(w);
}
FileId directory(World& w) {
  return w.make_directory("directory");
}

SetUp file_with_xattr(std::int64_t bytes) {
  return [bytes](World& w) {
    const FileId file = committed_file(w);
    w.set_xattr(file, "user.a", bytes, 1);
    return file;
  };
}
FileId file_with_capability(World& w) {
  const FileId file = committed_file(w);
  w.set_xattr(file, "security.capability", 20, 1, flag::capability);
  return file;
}
FileId file_with_acl(World& w) {
  const FileId file = committed_file(w);
  w.set_xattr(file, "system.posix_acl_access", 28, 1, flag::acl);
  return file;
}
FileId directory_with_acl(World& w) {
  const FileId made = w.make_directory("directory");
  w.set_xattr(made, "system.posix_acl_default", 28, 1, flag::acl | flag::default_acl);
  return made;
}
FileId directory_with_plain_acl(World& w) {
  const FileId made = w.make_directory("directory");
  w.set_xattr(made, "system.posix_acl_default", 28, 1,
              flag::acl | flag::default_acl | flag::acl_is_mode);
  return made;
}
SetUp symlink(std::int64_t bytes) {
  return [bytes](World& w) { return w.make_symlink("link", bytes); };
}
Change set_xattr(std::uint64_t value, std::uint32_t flags = 0) {
  return [=](World& w, FileId f) { w.set_xattr(f, "user.a", 10, value, flags); };
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"setxattr of a new value", plain_file, set_xattr(1), kXattr, 2, 2},
      {"setxattr of another value", file_with_xattr(10), set_xattr(2), kXattr, 2, 2},
      {"setxattr of the same value", file_with_xattr(10), set_xattr(1), kXattr, 1, 1},
      {"setxattr that fails with EEXIST", file_with_xattr(10), set_xattr(2, flag::failed_exists),
       kXattr, 1, 1},
      {"setxattr that fails with ENOSPC", plain_file, set_xattr(1, flag::failed_no_space), kXattr,
       8, 8},
      {"removexattr", file_with_xattr(10), [](World& w, FileId f) { w.remove_xattr(f, "user.a"); },
       kXattr, 2, 2},
      {"removexattr of a missing one", plain_file,
       [](World& w, FileId f) { w.remove_xattr(f, "user.a", flag::failed_missing); }, kXattr, 1, 1},
      {"an ACL", plain_file,
       [](World& w, FileId f) { w.set_xattr(f, "system.posix_acl_access", 28, 1, flag::acl); },
       kXattr, 1, 1},
      {"an ACL equal to the mode", plain_file,
       [](World& w, FileId f) {
         w.set_xattr(f, "system.posix_acl_access", 28, 1, flag::acl | flag::acl_is_mode);
       },
       kXattr, 0, 0},
      {"chmod of a file with an ACL", file_with_acl, [](World& w, FileId f) { w.chmod(f); }, kXattr,
       1, 1},
      {"create under a default ACL", directory_with_acl,
       [](World& w, FileId d) { w.create("new", d); }, kXattr, 1, 1},
      {"mkdir under a default ACL", directory_with_acl,
       [](World& w, FileId d) { w.make_directory("new", d); }, kXattr, 2, 2},
      {"create under a default ACL that says no more than a mode", directory_with_plain_acl,
       [](World& w, FileId d) { w.create("new", d); }, kXattr, 0, 0},
      {"mkdir under a default ACL that says no more than a mode", directory_with_plain_acl,
       [](World& w, FileId d) { w.make_directory("new", d); }, kXattr, 1, 1},
      {"removing a default ACL", directory_with_acl,
       [](World& w, FileId d) {
         w.remove_xattr(d, "system.posix_acl_default", flag::acl | flag::default_acl);
       },
       kXattr, 1, 1},
      {"removing a default ACL that is not there", directory,
       [](World& w, FileId d) {
         w.remove_xattr(d, "system.posix_acl_default", flag::acl | flag::default_acl);
       },
       kXattr, 0, 0},
      {"unlink of a file with an xattr block", file_with_xattr(500),
       [](World& w, FileId f) { w.unlink(f, "file"); }, kXattr, 1, 1},
      {"unlink of a file with xattrs in the inode", file_with_xattr(10),
       [](World& w, FileId f) { w.unlink(f, "file"); }, kXattr, 0, 0},
      {"write to a file with capabilities", file_with_capability,
       [](World& w, FileId f) { w.write(f, 0, kBlock); }, kXattr, 2, 2},
      {"write to a file that lost its capabilities", file_with_capability,
       [](World& w, FileId f) {
         w.remove_xattr(f, "security.capability");
         w.write(f, 0, kBlock);
       },
       kXattr, 2, 2},
      {"exchange", plain_file,
       [](World& w, FileId f) { w.exchange(f, "file", w.create("other"), "other"); },
       "Cross rename", 1, 1},
      {"rename of a directory", directory,
       [](World& w, FileId d) { w.rename(d, "directory", kRoot, "renamed", kRoot); }, "Dir renamed",
       1, 1},
      {"collapse", plain_file, [](World& w, FileId f) { w.fallocate(f, 0, kBlock, 8); },
       "Falloc range op", 1, 1},
      {"insert", plain_file, [](World& w, FileId f) { w.fallocate(f, 0, kBlock, 0x20); },
       "Falloc range op", 1, 1},
      {"fallocate", plain_file, [](World& w, FileId f) { w.fallocate(f, 0, kMiB); },
       "Falloc range op", 0, 0},
      {"a short symbolic link", plain_file, [](World& w, FileId) { w.make_symlink("new", 59); },
       kData, 6, 3},
      {"a long symbolic link", plain_file, [](World& w, FileId) { w.make_symlink("new", 60); },
       kData, 11, 5},
      {"mkfifo", plain_file, [](World& w, FileId) { w.make_fifo("new"); }, kData, 4, 2},
      {"connect to a socket, which tests its access time",
       [](World& w) { return w.make_socket("socket"); }, [](World& w, FileId f) { w.read(f); },
       kData, 2, 1},
      {"rename with whiteout", plain_file,
       [](World& w, FileId f) {
         w.rename(f, "file", kRoot, "renamed", kRoot, model::kNoFile, flag::whiteout);
       },
       kData, 4, 2},
      {"chmod of a symbolic link", symlink(10), [](World& w, FileId f) { w.chmod(f); }, kData, 2,
       1},
      {"rename of a symbolic link", symlink(10),
       [](World& w, FileId f) { w.rename(f, "link", kRoot, "renamed", kRoot); }, kData, 2, 1},
      {"link to a symbolic link", symlink(10), [](World& w, FileId f) { w.link(f, "other"); },
       kData, 2, 1},
      {"unlink of a short symbolic link", symlink(10),
       [](World& w, FileId f) { w.unlink(f, "link"); }, kData, 10, 5},
      {"unlink of a long symbolic link", symlink(60),
       [](World& w, FileId f) { w.unlink(f, "link"); }, kData, 21, 10},
      {"swap with the boot loader", plain_file,
       [](World& w, FileId f) { w.apply(OperationKind::swap_boot, f); }, "Swap boot", 1, 1},
      {"eviction of a linked file that is queued", plain_file,
       [](World& w, FileId f) {
         w.close(f);
         w.link(f, "other");
         w.apply(OperationKind::drop_caches, model::kNoFile);
       },
       "Insufficient memory", 1, 1},
  };
  return all;
}

}  // namespace

TEST_CASE("marks of each operation", "[rules]") {
  for (const Row& row : rows()) {
    DYNAMIC_SECTION(row.name << ", 6.18") {
      CHECK(marks_of(row, configured()) == row.marks);
    }
    DYNAMIC_SECTION(row.name << ", 6.1") {
      CHECK(marks_of(row, configured({}, "6.1")) == row.marks_6_1);
    }
  }
}

TEST_CASE("with orphan_file an unlinked symbolic link is updated less often", "[rules]") {
  model::Configuration values = configured();
  values.filesystem.features.emplace_back("orphan_file");
  const Row row{"", symlink(10), [](World& w, FileId f) { w.unlink(f, "link"); }, kData, 6, 3};
  CHECK(marks_of(row, values) == 6);
}

TEST_CASE("without fast commit nothing is counted", "[rules]") {
  for (const Row& row : rows()) CHECK(marks_of(row, without_fast_commit()) == 0);
}

TEST_CASE("a mark costs one fast commit", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.set_xattr(file, "user.a", 10, 1);
  w.fsync(file);
  w.chmod(file);
  w.fsync(file);
  const engine::Prediction p = w.finish();
  CHECK(counters_of(p) == Counters{1, 1, 1, 2, 2});
  CHECK(p.causes[static_cast<std::size_t>(model::Cause::ineligible)] == 1);
}

TEST_CASE("a mark that no fsync meets goes with the timer's commit", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.set_xattr(file, "user.a", 10, 1);
  w.now += 10 * kSecond;
  w.chmod(file);
  w.fsync(file);
  CHECK(counters_of(w.finish()) == Counters{1, 0, 1, 2, 1});
}

TEST_CASE("reasons count on while the flag is up", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  for (std::uint64_t i = 0; i < 10; ++i) w.set_xattr(file, "user.a", 10, i);
  w.fsync(file);
  const engine::Prediction p = w.finish();
  CHECK(reason(p, kXattr) == 20);
  CHECK(counters_of(p) == Counters{0, 1, 0, 2, 2});
}

TEST_CASE("what happens while the flag is up is not tracked", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.set_xattr(file, "user.a", 10, 1);
  w.create("untracked");
  w.fsync(file);  // falls back: all of it is in the full commit
  w.chmod(file);
  w.fsync(file);
  const auto logs = logs_of(w.finish());
  REQUIRE(logs.size() == 1);
  CHECK(logs[0].names == 0);
  CHECK(logs[0].inodes == 1);
}

TEST_CASE("what happens during a full commit is in the next fast commit", "[rules]") {
  World w(configured());
  const FileId file = committed_file(w);
  w.chmod(file);
  w.step = kMillisecond / 10;  // a full commit takes longer
  w.fsync(kRoot);
  w.pid = 2;
  const FileId fresh = w.create("during");
  w.step = 8 * kMillisecond;
  w.now += kMillisecond;
  w.fsync(fresh);
  const engine::Prediction p = w.finish();
  CHECK(counters_of(p) == Counters{1, 0, 1, 2, 2});
  REQUIRE(logs_of(p).size() == 1);
  CHECK(logs_of(p)[0].names == 1);
}
