// Are the traps told where they apply, and is a mount's state found out?
#include "sim/machine/geometry/input.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

machine::geometry::FilesystemOnDisk gibibyte(std::uint32_t journal_blocks, std::uint32_t area,
                                             bool feature = true) {
  machine::geometry::FilesystemOnDisk disk;
  disk.source = "test";
  disk.settings = configured().values.filesystem;
  disk.settings.journal_blocks = journal_blocks;
  disk.settings.fast_commit_blocks = area;
  if (!feature) std::erase(disk.settings.features, "fast_commit");
  return disk;
}

machine::geometry::GeometryAnswer answer(const machine::geometry::FilesystemOnDisk& disk,
                                         const std::vector<std::string>& settings = {}) {
  return machine::geometry::answer_geometry(disk, {}, configured(settings));
}

// A mount that the kernel describes like this.
machine::geometry::MountedFilesystem mounted(std::uint32_t limit,
                                             const std::vector<std::string>& options = {}) {
  machine::geometry::MountedFilesystem mount;
  mount.mount_point = "/mnt";
  mount.name = "loop0";
  mount.options = {"rw", "relatime", "dioread_nolock"};
  mount.options.insert(mount.options.end(), options.begin(), options.end());
  mount.options_known = true;
  mount.fast_commits = 0;
  mount.max_transaction_blocks = limit;
  return mount;
}

}  // namespace

TEST_CASE("an area that mke2fs made", "[geometry]") {
  const auto result = answer(gibibyte(8320, 128));
  CHECK(result.state == machine::geometry::FastCommitState::active);
  CHECK(result.area_blocks == 128);
  CHECK(result.usable_blocks == 127);
  CHECK(result.max_transaction_blocks == 2730);
  CHECK(result.statements.empty());
}

TEST_CASE("0 on disk is the default area, out of the log", "[geometry]") {
  const auto result = answer(gibibyte(8192, 0));
  CHECK(result.area_blocks == 256);
  CHECK(result.log_blocks == 7936);
  CHECK(result.max_transaction_blocks == 2645);  // as measured after tune2fs -O fast_commit
  CHECK(any_contains(result.statements, "256 blocks taken out of the log"));
  CHECK(any_contains(result.statements, "less than a block (4096 bytes)"));
}

TEST_CASE("an area of one block holds nothing", "[geometry]") {
  const auto result = answer(gibibyte(8193, 1));
  CHECK(result.usable_blocks == 0);
  CHECK(any_contains(result.statements, "no fast commit fits"));
}

TEST_CASE("a journal too small to mount", "[geometry]") {
  CHECK(answer(gibibyte(1279, 0)).state == machine::geometry::FastCommitState::refused);
  CHECK(answer(gibibyte(1280, 0)).state == machine::geometry::FastCommitState::active);
  const auto before = answer(gibibyte(1024, 0, false));
  CHECK(before.state == machine::geometry::FastCommitState::inactive);
  CHECK(any_contains(before.statements, "after tune2fs -O fast_commit it could not be mounted"));
}

TEST_CASE("what turns it off", "[geometry]") {
  const auto journal = answer(gibibyte(8320, 128), {"mount.data=journal"});
  CHECK(journal.state == machine::geometry::FastCommitState::inactive);
  CHECK(journal.reason.find("data=journal") == 0);
  CHECK(journal.max_transaction_blocks == 2773);
  CHECK(any_contains(journal.statements, "belongs to the log"));
  CHECK(any_contains(answer(gibibyte(8192, 0, false)).statements, "largest transaction 2645"));
  machine::geometry::FilesystemOnDisk none = gibibyte(0, 0);
  std::erase(none.settings.features, "has_journal");
  CHECK(answer(none).reason == "there is no journal, nothing is ever committed");
  machine::geometry::FilesystemOnDisk defaults = gibibyte(8320, 128);
  defaults.default_options = {"data=journal"};
  CHECK(answer(defaults).state == machine::geometry::FastCommitState::inactive);
  CHECK(answer(defaults, {"mount.data=ordered"}).state ==
        machine::geometry::FastCommitState::active);
}

TEST_CASE("a mount older than the feature is found by its largest transaction", "[geometry]") {
  const configuration::LoadedConfiguration loaded = configured();
  const machine::geometry::FilesystemOnDisk disk = gibibyte(8192, 0);
  const auto old = machine::geometry::answer_geometry(disk, mounted(2730), loaded);
  CHECK(old.state == machine::geometry::FastCommitState::inactive);
  CHECK(any_contains(old.statements, "this mount is older"));
  const auto fresh = machine::geometry::answer_geometry(disk, mounted(2645), loaded);
  CHECK(fresh.state == machine::geometry::FastCommitState::active);
  CHECK(fresh.area_blocks == 256);
  const auto other = machine::geometry::answer_geometry(disk, mounted(1984), loaded);
  CHECK(other.state == machine::geometry::FastCommitState::unknown);
  CHECK(other.reason.find("2645 with fast commit and 2730 without") != std::string::npos);
  const auto forced =
      machine::geometry::answer_geometry(disk, mounted(1984, {"fc_debug_force"}), loaded);
  CHECK(forced.state == machine::geometry::FastCommitState::active);
  const auto removed =
      machine::geometry::answer_geometry(gibibyte(8320, 128, false), mounted(2730), loaded);
  CHECK(removed.state == machine::geometry::FastCommitState::active);
  CHECK(any_contains(removed.statements, "the feature is not on disk"));
  const auto tiny = machine::geometry::answer_geometry(gibibyte(8192, 1), mounted(2730), loaded);
  CHECK(tiny.state == machine::geometry::FastCommitState::unknown);  // 8191 / 3 = 8192 / 3
  CHECK(machine::geometry::answer_geometry(disk, mounted(2730, {"data=journal"}), loaded).state ==
        machine::geometry::FastCommitState::inactive);
}

TEST_CASE("a mount is found through mountinfo and described by /proc", "[geometry]") {
  const Folder folder("proc");
  const machine::geometry::SystemFolders system{folder.file("proc"), folder.file("sys"),
                                                folder.file("dev")};
  std::filesystem::create_directories(folder.file("sys/dev/block"));
  std::filesystem::create_directories(folder.file("with space/deep"));
  const std::string root = std::filesystem::canonical(folder.file("with space")).string();
  std::string escaped = root;
  escaped.replace(escaped.find(' '), 1, "\\040");
  folder.write("proc/self/mountinfo", "1 0 8:1 / / rw - btrfs /dev/sda1 rw\n42 1 7:5 / " + escaped +
                                          " rw,noatime shared:1 - ext4 /dev/root rw,commit=9\n");
  CHECK_THROWS_AS(machine::geometry::mounted_at(root, system),
                  model::InputError);  // no such device below sys
  std::filesystem::create_symlink("../../devices/loop5", folder.file("sys/dev/block/7:5"));
  folder.write("proc/fs/ext4/loop5/options", "rw\nnodelalloc\nmax_batch_time=15000\n");
  folder.write("proc/fs/ext4/loop5/fc_info", "fc stats:\n12 commits\n3 ineligible\n14 numblks\n");
  folder.write("proc/fs/jbd2/loop5-8/info", "4 transactions (4 requested), each up to 99 blocks\n");
  const machine::geometry::MountedFilesystem found =
      machine::geometry::mounted_at(root + "/deep", system);
  CHECK(found.mount_point == root);
  CHECK(found.device == folder.file("dev") + "/loop5");
  CHECK(found.fast_commits == 12);
  CHECK(found.max_transaction_blocks == 99);
  const model::MountSettings settings = machine::geometry::mount_settings(found);
  CHECK(settings.commit_interval_s == 9);
  CHECK(settings.atime == model::AtimeMode::noatime);
  CHECK_FALSE(settings.delalloc);
  CHECK_FALSE(settings.dioread_nolock);
  CHECK(machine::geometry::mounted_from(7, 5, system)->mount_point == root);
  CHECK_FALSE(machine::geometry::mounted_from(7, 6, system));
  try {
    machine::geometry::mounted_at("/", system);
    FAIL("a btrfs was taken for an ext4");
  } catch (const model::InputError& error) {
    CHECK(std::string(error.what()) == "/: is on btrfs (mounted on /); expected ext4 or XFS");
  }
}
