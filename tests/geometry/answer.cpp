// Are the traps told where they apply, and is a mount's state found out?
#include "sim/geometry/input.h"
#include "tests/geometry/helper.h"

using namespace fcsim;
using namespace fcsim::test;

namespace {

sim::FilesystemOnDisk gibibyte(std::uint32_t journal_blocks, std::uint32_t area,
                               bool feature = true) {
  sim::FilesystemOnDisk disk;
  disk.source = "test";
  disk.settings = configuration().values.filesystem;
  disk.settings.journal_blocks = journal_blocks;
  disk.settings.fast_commit_blocks = area;
  if (!feature) std::erase(disk.settings.features, "fast_commit");
  return disk;
}

sim::GeometryAnswer answer(const sim::FilesystemOnDisk& disk,
                           const std::vector<std::string>& settings = {}) {
  return sim::answer_geometry(disk, {}, configuration(settings));
}

// A mount that the kernel describes like this.
sim::MountedFilesystem mounted(std::uint32_t limit, const std::vector<std::string>& options = {}) {
  sim::MountedFilesystem mount;
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
  CHECK(result.state == sim::FastCommitState::active);
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
  CHECK(answer(gibibyte(1279, 0)).state == sim::FastCommitState::refused);
  CHECK(answer(gibibyte(1280, 0)).state == sim::FastCommitState::active);
  const auto before = answer(gibibyte(1024, 0, false));
  CHECK(before.state == sim::FastCommitState::inactive);
  CHECK(any_contains(before.statements, "after tune2fs -O fast_commit it could not be mounted"));
}

TEST_CASE("what turns it off", "[geometry]") {
  const auto journal = answer(gibibyte(8320, 128), {"mount.data=journal"});
  CHECK(journal.state == sim::FastCommitState::inactive);
  CHECK(journal.reason.find("data=journal") == 0);
  CHECK(journal.max_transaction_blocks == 2773);
  CHECK(any_contains(journal.statements, "belongs to the log"));
  CHECK(any_contains(answer(gibibyte(8192, 0, false)).statements, "largest transaction 2645"));
  sim::FilesystemOnDisk none = gibibyte(0, 0);
  std::erase(none.settings.features, "has_journal");
  CHECK(answer(none).reason == "there is no journal, nothing is ever committed");
  sim::FilesystemOnDisk defaults = gibibyte(8320, 128);
  defaults.default_options = {"data=journal"};
  CHECK(answer(defaults).state == sim::FastCommitState::inactive);
  CHECK(answer(defaults, {"mount.data=ordered"}).state == sim::FastCommitState::active);
}

TEST_CASE("a mount older than the feature is found by its largest transaction", "[geometry]") {
  const sim::LoadedConfiguration loaded = configuration();
  const sim::FilesystemOnDisk disk = gibibyte(8192, 0);
  const auto old = sim::answer_geometry(disk, mounted(2730), loaded);
  CHECK(old.state == sim::FastCommitState::inactive);
  CHECK(any_contains(old.statements, "this mount is older"));
  const auto fresh = sim::answer_geometry(disk, mounted(2645), loaded);
  CHECK(fresh.state == sim::FastCommitState::active);
  CHECK(fresh.area_blocks == 256);
  const auto other = sim::answer_geometry(disk, mounted(1984), loaded);
  CHECK(other.state == sim::FastCommitState::unknown);
  CHECK(other.reason.find("2645 with fast commit and 2730 without") != std::string::npos);
  const auto forced = sim::answer_geometry(disk, mounted(1984, {"fc_debug_force"}), loaded);
  CHECK(forced.state == sim::FastCommitState::active);
  const auto removed = sim::answer_geometry(gibibyte(8320, 128, false), mounted(2730), loaded);
  CHECK(removed.state == sim::FastCommitState::active);
  CHECK(any_contains(removed.statements, "the feature is not on disk"));
  const auto tiny = sim::answer_geometry(gibibyte(8192, 1), mounted(2730), loaded);
  CHECK(tiny.state == sim::FastCommitState::unknown);  // 8191 / 3 = 8192 / 3
  CHECK(sim::answer_geometry(disk, mounted(2730, {"data=journal"}), loaded).state ==
        sim::FastCommitState::inactive);
}

TEST_CASE("a mount is found through mountinfo and described by /proc", "[geometry]") {
  const Folder folder("proc");
  const sim::SystemFolders system{folder.file("proc"), folder.file("sys"), folder.file("dev")};
  std::filesystem::create_directories(folder.file("sys/dev/block"));
  std::filesystem::create_directories(folder.file("with space/deep"));
  const std::string root = std::filesystem::canonical(folder.file("with space")).string();
  std::string escaped = root;
  escaped.replace(escaped.find(' '), 1, "\\040");
  folder.write("proc/self/mountinfo", "1 0 8:1 / / rw - xfs /dev/sda1 rw\n42 1 7:5 / " + escaped +
                                          " rw,noatime shared:1 - ext4 /dev/root rw,commit=9\n");
  CHECK_THROWS_AS(sim::mounted_at(root, system), InputError);  // no such device below sys
  std::filesystem::create_symlink("../../devices/loop5", folder.file("sys/dev/block/7:5"));
  folder.write("proc/fs/ext4/loop5/options", "rw\nnodelalloc\nmax_batch_time=15000\n");
  folder.write("proc/fs/ext4/loop5/fc_info", "fc stats:\n12 commits\n3 ineligible\n");
  folder.write("proc/fs/jbd2/loop5-8/info", "4 transactions (4 requested), each up to 99 blocks\n");
  const sim::MountedFilesystem found = sim::mounted_at(root + "/deep", system);
  CHECK(found.mount_point == root);
  CHECK(found.device == folder.file("dev") + "/loop5");
  CHECK(found.fast_commits == 12);
  CHECK(found.max_transaction_blocks == 99);
  const model::MountSettings settings = sim::mount_settings(found);
  CHECK(settings.commit_interval_s == 9);
  CHECK(settings.atime == model::AtimeMode::noatime);
  CHECK_FALSE(settings.delalloc);
  CHECK_FALSE(settings.dioread_nolock);
  CHECK(sim::mounted_from(7, 5, system)->mount_point == root);
  CHECK_FALSE(sim::mounted_from(7, 6, system));
  try {
    sim::mounted_at("/", system);
    FAIL("an xfs was taken for an ext4");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "/: is on xfs (mounted on /); expected ext4");
  }
}
