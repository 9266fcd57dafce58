// Are the shell texts and options of administrators understood as the tools do?
#include "sim/machine/mount_options.h"
#include "sim/machine/options.h"
#include "sim/replay/shell.h"
#include "tests/catch.h"

using namespace fcsim;
using namespace fcsim::questions::scenario;

namespace {

std::string steps_of(const std::string& text) {
  std::string steps;
  for (const Step& step : replay::parse_shell_steps(text, {"env.toml", 0, 0}, {"/mnt/x"}))
    steps += (steps.empty() ? "" : "|") + std::string(name(step.kind)) + "(" +
             (step.kind == StepKind::drop_caches ? std::to_string(step.number) : step.text) + ")";
  return steps;
}

model::FilesystemSettings made(const std::string& options) {
  return machine::make_with_options(options, {}, model::FilesystemSettings{});
}

}  // namespace

TEST_CASE("shell texts", "[scenario]") {
  CHECK(steps_of("tune2fs -O fast_commit {dev}") == "tune2fs(-O fast_commit)");
  CHECK(steps_of("mount -o remount,rw {mnt}") == "remount(rw)");
  CHECK(steps_of("umount {mnt}; mount -o {opts} {img} {mnt}") == "umount()|mount()");
  CHECK(steps_of("umount /mnt/x && mount -o {opts},commit=1 {img} /mnt/x") ==
        "umount()|mount(commit=1)");
  CHECK(steps_of("sync -f {mnt}; echo 3 > /proc/sys/vm/drop_caches") == "sync()|drop_caches(3)");
  CHECK(steps_of("sysctl -w vm.drop_caches=2") == "drop_caches(2)");
  CHECK(steps_of("cd /; umount {mnt}; mkfs.ext4 -q -O '^fast_commit' {img}\nmount {img} {mnt}") ==
        "umount()|mkfs(-q -O ^fast_commit)|mount()");
  CHECK(steps_of("sleep 5") == "");
}

TEST_CASE("what is not understood is named", "[scenario]") {
  for (const char* text : {"rm {mnt}/f", "umount /mnt/other", "mount /dev/sdb1 /mnt/other",
                           "tune2fs -O fast_commit /dev/sdb1", "echo 9 > /proc/sys/vm/drop_caches",
                           "sync &", "umount -l {mnt}", "mount -o remount,rw /"}) {
    INFO(text);
    std::string complaint;
    try {
      replay::parse_shell_steps(text, {"env.toml", 0, 0}, {"/mnt/x"});
    } catch (const model::InputError& error) {
      complaint = error.what();
    }
    CHECK(complaint ==
          "env.toml: the administrator's step \"" + std::string(text) + "\" is not understood");
  }
}

TEST_CASE("the default of a mount is that of mount, unless {opts} say so", "[scenario]") {
  CHECK(replay::parse_shell_steps("mount {img} {mnt}", {}, {}).front().plain);
  CHECK_FALSE(replay::parse_shell_steps("mount -o {opts} {img} {mnt}", {}, {}).front().plain);
}

TEST_CASE("mount options", "[scenario]") {
  model::MountSettings mount;
  machine::apply_mount_options("noatime,commit=30,data=writeback,nodelalloc,nobarrier,lazytime,rw",
                               {}, mount);
  CHECK(mount.atime == model::AtimeMode::noatime);
  CHECK(mount.commit_interval_s == 30);
  CHECK(mount.data == model::DataMode::writeback);
  CHECK_FALSE(mount.delalloc);
  CHECK_FALSE(mount.barrier);
  CHECK(mount.lazytime);
  CHECK(machine::apply_remount_options("ro,commit=7,dirsync", {}, mount));
  CHECK(mount.commit_interval_s == 7);
  CHECK_FALSE(mount.dirsync);  // no remount sets it
  CHECK_FALSE(machine::apply_remount_options("rw", {}, mount));
  CHECK_THROWS_AS(machine::apply_remount_options("delalloc", {}, mount), model::InputError);
}

TEST_CASE("tune2fs changes the feature and never the area", "[scenario]") {
  model::FilesystemSettings fs = made("-O fast_commit 512M");
  CHECK(fs.journal_blocks == 4160);
  CHECK(fs.fast_commit_blocks == 64);
  machine::apply_tune2fs_options("-O ^fast_commit -J fast_commit_size=2048", {}, fs);
  CHECK_FALSE(fs.has("fast_commit"));
  machine::apply_tune2fs_options("-O fast_commit", {}, fs);
  CHECK(fs.has("fast_commit"));
  CHECK(fs.fast_commit_blocks == 64);
  CHECK(fs.journal_blocks == 4160);
}

TEST_CASE("mke2fs makes an area only where the feature asks for it", "[scenario]") {
  CHECK_FALSE(made("512M").has("fast_commit"));
  CHECK(made("512M").journal_blocks == 4096);
  CHECK(made("-O ^fast_commit 512M").fast_commit_blocks == 0);
  CHECK(made("-O fast_commit -J fast_commit_size=1024 1G").fast_commit_blocks == 256);
  CHECK(made("-O fast_commit -J size=16 1G").journal_blocks == 4096 + 128);
  CHECK(made("-O ^has_journal 1G").journal_blocks == 0);
  CHECK_FALSE(made("-O ^metadata_csum 1G").has("metadata_csum"));
}
