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
  machine::apply_tune2fs_options("-O ^fast_commit -J fast_commit_size=2048", {}, true, fs);
  CHECK_FALSE(fs.has("fast_commit"));
  machine::apply_tune2fs_options("-O fast_commit", {}, true, fs);
  CHECK(fs.has("fast_commit"));
  CHECK(fs.fast_commit_blocks == 64);
  CHECK(fs.journal_blocks == 4160);
}

TEST_CASE("tune2fs removes a journal and makes another", "[scenario]") {
  model::FilesystemSettings fs = made("-O fast_commit 512M");
  CHECK_THROWS_AS(machine::apply_tune2fs_options("-O ^has_journal", {}, true, fs),
                  model::InputError);
  machine::apply_tune2fs_options("-O ^has_journal", {}, false, fs);
  CHECK(fs.journal_blocks == 0);
  model::FilesystemSettings with_size = fs;  // the numbers are those of 1.47's dumpe2fs
  machine::apply_tune2fs_options("-J size=16,fast_commit_size=1412", {}, false, with_size);
  CHECK(with_size.journal_blocks == 4449);
  CHECK(with_size.fast_commit_blocks == 353);
  machine::apply_tune2fs_options("-O has_journal,fast_commit", {}, false, fs);
  CHECK(fs.journal_blocks == 4160);
  CHECK(fs.fast_commit_blocks == 64);
}

// The numbers are what dumpe2fs printed of file systems that mke2fs 1.47 made with these options.
TEST_CASE("mke2fs -b, -I, -i and -N", "[scenario]") {
  struct Case {
    const char* options;
    std::uint32_t inodes;
    std::uint64_t blocks;
    std::uint32_t block_size, blocks_a_group, inodes_a_group, inode_size, extra, journal, area;
  };
  for (const Case& expected : {
           Case{"-b 1024 1G", 65536, 1048576, 1024, 8192, 512, 256, 32, 16640, 256},
           Case{"-b 2048 1G", 65536, 524288, 2048, 16384, 2048, 256, 32, 16640, 256},
           Case{"-I 128 1G", 65536, 262144, 4096, 32768, 8192, 128, 0, 8320, 128},
           Case{"-i 4096 1G", 262144, 262144, 4096, 32768, 32768, 256, 32, 8320, 128},
           Case{"-N 1000 1G", 1024, 262144, 4096, 32768, 128, 256, 32, 8320, 128},
           Case{"-b 1024 -I 128 -i 8192 200M", 25600, 204800, 1024, 8192, 1024, 128, 0, 4160, 64},
           Case{"-b 4096 100M", 25600, 25600, 4096, 32768, 25600, 256, 32, 1040, 16},
           Case{"-i 65536 512M", 8192, 131072, 4096, 32768, 2048, 256, 32, 4160, 64},
           Case{"-I 1024 512M", 32768, 131072, 4096, 32768, 8192, 1024, 32, 4160, 64},
           Case{"-b 1024 -i 2048 100M", 51168, 102400, 1024, 8192, 3936, 256, 32, 4160, 64},
       }) {
    INFO(expected.options);
    const model::FilesystemSettings fs = made(std::string("-O fast_commit ") + expected.options);
    CHECK(fs.inode_count == expected.inodes);
    CHECK(fs.block_count == expected.blocks);
    CHECK(fs.block_size == expected.block_size);
    CHECK(fs.blocks_per_group == expected.blocks_a_group);
    CHECK(fs.inodes_per_group == expected.inodes_a_group);
    CHECK(fs.inode_size == expected.inode_size);
    CHECK(fs.extra_isize == expected.extra);
    CHECK(fs.journal_blocks == expected.journal);
    CHECK(fs.fast_commit_blocks == expected.area);
  }
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
