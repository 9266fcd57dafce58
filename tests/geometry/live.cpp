// Does the answer for a mounted file system agree with the kernel? Needs root and a loop device.
#include <fcntl.h>

#include <cstdio>
#include <iostream>

#include "sim/machine/geometry/input.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

bool shell(const std::string& command) {
  return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
}

// A file system of 64 MiB, mounted for as long as this lives.
class Mount {
 public:
  Mount(const Folder& folder, const std::string& mke2fs, const std::string& options)
      : image_(folder.file("live.img")), point_(folder.file("live")) {
    std::filesystem::create_directories(point_);
    mounted_ = shell("truncate -s 64M '" + image_ + "' && mke2fs -q -t ext4 -b 1024 " + mke2fs +
                     " '" + image_ + "'") &&
               again(options);
  }
  ~Mount() { shell("umount '" + point_ + "'"); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  bool again(const std::string& options) {
    if (mounted_) shell("umount '" + point_ + "'");
    return shell("mount -o loop," + options + " '" + image_ + "' '" + point_ + "'");
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::string& point() const { return point_; }
  [[nodiscard]] const std::string& image() const { return image_; }

 private:
  std::string image_;
  std::string point_;
  bool mounted_ = false;
};

machine::geometry::GeometryAnswer ask(const std::string& path) {
  const machine::geometry::GeometryInput input = machine::geometry::read_geometry(path, {});
  return machine::geometry::answer_geometry(input.filesystem, input.mounted, configured());
}

void append_and_fsync(const std::string& path, int times) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0644);
  REQUIRE(file >= 0);
  for (int i = 0; i < times; ++i) {
    CHECK(::write(file, "0123456789", 10) == 10);
    CHECK(::fsync(file) == 0);
  }
  ::close(file);
}

}  // namespace

TEST_CASE("mounts, as the kernel has them", "[root][geometry]") {
  const Folder folder("live");
  Mount mount(folder, "-O fast_commit -J size=4,fast_commit_size=64", "noatime");
  SKIP_IF(mount.mounted() ? "" : "mounting a loop device needs root, a loop device and mke2fs");
  const machine::geometry::GeometryAnswer fresh = ask(mount.point());
  CHECK(fresh.state == machine::geometry::FastCommitState::active);
  CHECK(fresh.area_blocks == 64);
  CHECK(fresh.configuration.mount.atime == model::AtimeMode::noatime);
  append_and_fsync(mount.point() + "/file", 4);

  const machine::geometry::GeometryInput used = machine::geometry::read_geometry(mount.point(), {});
  CHECK(used.mounted->fast_commits == 3);
  CHECK(used.mounted->max_transaction_blocks == fresh.max_transaction_blocks);
  machine::geometry::Image image(used.mounted->device);
  std::size_t tails = 0;
  for (const machine::geometry::LogRecord& record :
       log_of(image, machine::geometry::LogScope::live))
    if (record.kind == "TAIL") ++tails;
  CHECK(tails == 3);

  REQUIRE(mount.again("data=journal"));
  CHECK(ask(mount.point()).state == machine::geometry::FastCommitState::inactive);
  REQUIRE(mount.again("commit=7"));
  REQUIRE(shell("tune2fs -O ^fast_commit \"$(findmnt -no SOURCE '" + mount.point() + "')\""));
  const machine::geometry::GeometryAnswer removed = ask(mount.point());
  CHECK(removed.state == machine::geometry::FastCommitState::active);
  CHECK(removed.configuration.mount.commit_interval_s == 7);
}

TEST_CASE("a feature that is younger than the mount", "[root][geometry]") {
  const Folder folder("younger");
  Mount mount(folder, "-J size=4", "rw");
  SKIP_IF(mount.mounted() ? "" : "mounting a loop device needs root, a loop device and mke2fs");
  REQUIRE(shell("tune2fs -O fast_commit \"$(findmnt -no SOURCE '" + mount.point() + "')\""));
  const machine::geometry::GeometryAnswer young = ask(mount.point());
  CHECK(young.state == machine::geometry::FastCommitState::inactive);
  CHECK(any_contains(young.statements, "this mount is older"));
  REQUIRE(mount.again("rw"));
  const machine::geometry::GeometryAnswer after = ask(mount.point());
  CHECK(after.state == machine::geometry::FastCommitState::active);
  CHECK(after.area_blocks == 256);
  CHECK(any_contains(after.statements, "256 blocks taken out of the log"));
}
