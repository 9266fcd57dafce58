// The keys that describe the machine, the file system and the recording.
#include <algorithm>

#include "sim/configuration/key_builder.h"
#include "sim/configuration/key_tables.h"

namespace fcsim::configuration {
namespace {

// Every row binds one member: FIELD(values.mount.sync) is a function from Settings to that member.
#define FIELD(member)                \
  [](Settings & settings) -> auto& { \
    return settings.member;          \
  }

void add_kernel(std::vector<Key>& keys) {
  TableBuilder kernel(keys, "kernel", KeyRole::setting);
  kernel.text("profile", FIELD(values.kernel.profile),
              "the kernel's rules: a file of configs/kernels/ without its .toml, or a path");
  kernel.integer("hz", "ticks a second", {100, 1000}, FIELD(values.clock.hz),
                 "CONFIG_HZ: how coarse timestamps and timers are");
  kernel.boolean(
      "smp", FIELD(values.clock.smp),
      "CONFIG_SMP: counters of free inodes and blocks lag by up to percpu_batch; without it "
      "(user-mode Linux) they are exact");
  kernel.integer(
      "percpu_batch", "", {1, 65536}, FIELD(values.clock.percpu_batch),
      "by how much they lag: twice the number of CPUs, at least 32 (lib/percpu_counter.c, "
      "compute_batch_value)");
  kernel.text("release", FIELD(release), "uname -r of the recorded machine; decides nothing");
  TableBuilder clock(keys, "clock", KeyRole::setting);
  clock.integer("tick_phase_ns", "nanoseconds", {0, 1e9}, FIELD(values.clock.tick_phase_ns),
                "where within a tick's length the coarse clock steps");
  clock.integer("jiffy0_realtime_ns", "nanoseconds", {-9e18, 9e18},
                FIELD(values.clock.jiffy0_realtime_ns),
                "CLOCK_REALTIME at jiffy 0: the phase of timers");
  clock.information("flusher_wakeup_realtime_ns", KeyKind::integer,
                    "CLOCK_REALTIME of one observed wake-up of the flusher, nanoseconds: the phase "
                    "of the others; of the bundle's env.toml, read by exposure");
  clock.only_of(model::FilesystemType::xfs);
  clock.integer("tick_value_lag_ns", "nanoseconds", {0, 1e9}, FIELD(values.clock.tick_value_lag_ns),
                "XFS: by how much the coarse clock's value is before the moment at which it steps");
}

// The feature fast_commit as a switch of its own; everything else stays in `features`.
void add_fast_commit_switch(TableBuilder& filesystem) {
  Key& key =
      filesystem.information("fast_commit", KeyKind::boolean,
                             "adds the feature fast_commit or takes it away, as tune2fs -O does");
  key.role = KeyRole::derived;
  key.set = [](Settings& settings, const Value& value) {
    auto& features = settings.values.filesystem.features;
    std::erase(features, "fast_commit");
    if (std::get<bool>(value)) features.emplace_back("fast_commit");
  };
}

// What only xfs_info tells.
void add_xfs_geometry(TableBuilder& filesystem) {
  filesystem.only_of(model::FilesystemType::xfs);
  filesystem.integer("ag_count", "groups", {1, 1e6}, FIELD(values.filesystem.xfs.ag_count),
                     "XFS: allocation groups (agcount)");
  filesystem.integer("ag_blocks", "blocks", {64}, FIELD(values.filesystem.xfs.ag_blocks),
                     "XFS: size of an allocation group (agsize)");
  filesystem
      .integer("sector_size", "bytes", {512, 32768}, FIELD(values.filesystem.xfs.sector_size),
               "XFS: sector size of the data device (sectsz)")
      .power_of_two = true;
  filesystem.integer("stripe_unit_blocks", "blocks", {0},
                     FIELD(values.filesystem.xfs.stripe_unit_blocks),
                     "XFS: stripe unit of the data device (sunit)");
  filesystem.information("stripe_width_blocks", KeyKind::integer, "XFS: stripe width (swidth)");
  filesystem.information("inode_percent", KeyKind::integer,
                         "XFS: the share that inodes may take (imaxpct)");
  filesystem
      .integer("directory_block_size", "bytes", {512, 65536},
               FIELD(values.filesystem.xfs.directory_block_size),
               "XFS: size of a directory's blocks (naming bsize)")
      .power_of_two = true;
  filesystem.integer("log_blocks", "blocks", {64}, FIELD(values.filesystem.xfs.log_blocks),
                     "XFS: size of the log");
  filesystem
      .integer("log_sector_size", "bytes", {512, 32768},
               FIELD(values.filesystem.xfs.log_sector_size), "XFS: sector size of the log")
      .power_of_two = true;
  filesystem.integer("log_stripe_unit_blocks", "blocks", {0, 64},
                     FIELD(values.filesystem.xfs.log_stripe_unit_blocks),
                     "XFS: log writes are multiples of this (log sunit)");
  filesystem.information("log_version", KeyKind::integer, "XFS: version of the log's format");
  filesystem.information("log_internal", KeyKind::boolean,
                         "XFS: the log is inside the data device");
  filesystem.only_of(std::nullopt);
}

void add_filesystem(std::vector<Key>& keys) {
  TableBuilder filesystem(keys, "filesystem", KeyRole::setting);
  filesystem.choice("type", {"ext4", "xfs"}, FIELD(values.filesystem.type),
                    "the file system's type");
  filesystem
      .integer("block_size", "bytes", {1024, 65536}, FIELD(values.filesystem.block_size),
               "block size of file system and journal")
      .power_of_two = true;
  filesystem.integer("block_count", "blocks", {1}, FIELD(values.filesystem.block_count),
                     "size of the file system");
  filesystem.only_of(model::FilesystemType::ext4);
  filesystem.integer("blocks_per_group", "blocks", {1, 524288},
                     FIELD(values.filesystem.blocks_per_group), "size of a block group");
  filesystem.integer("inode_count", "inodes", {1}, FIELD(values.filesystem.inode_count),
                     "inodes in all");
  filesystem.integer("inodes_per_group", "inodes", {1}, FIELD(values.filesystem.inodes_per_group),
                     "inodes of a block group");
  filesystem.only_of(std::nullopt);
  filesystem
      .integer("inode_size", "bytes", {128, 65536}, FIELD(values.filesystem.inode_size),
               "size of an inode on disk")
      .power_of_two = true;
  filesystem.only_of(model::FilesystemType::ext4);
  filesystem.integer("extra_isize", "bytes", {0, 65408}, FIELD(values.filesystem.extra_isize),
                     "bytes beyond 128 that new inodes use (dumpe2fs: Desired extra isize)");
  filesystem.integer("flex_group_size", "groups", {0}, FIELD(values.filesystem.flex_group_size),
                     "block groups whose tables lie together");
  filesystem.integer("journal_blocks", "blocks", {0}, FIELD(values.filesystem.journal_blocks),
                     "the whole journal, fast-commit area included; 0: no journal");
  filesystem.integer("fast_commit_blocks", "blocks", {0},
                     FIELD(values.filesystem.fast_commit_blocks),
                     "dumpe2fs's Fast commit length; 0: the kernel takes its default from the log");
  filesystem.only_of(std::nullopt);
  filesystem.texts("features", FIELD(values.filesystem.features),
                   "the features as dumpe2fs prints them, or xfs_info");
  add_xfs_geometry(filesystem);
  add_fast_commit_switch(filesystem);
  // Needs the whole file system to be known, so configuration.cpp applies it.
  Key& size = filesystem.information(
      "fast_commit_kib", KeyKind::integer,
      "the area as mke2fs -J fast_commit_size= takes it; sets fast_commit_blocks, journal_blocks");
  size.unit = "KiB";
  size.maximum = 1099511627776.0;  // beyond any device, and safe to count in bytes
  size.role = KeyRole::derived;
}

void add_mount(std::vector<Key>& keys) {
  TableBuilder mount(keys, "mount", KeyRole::setting);
  mount.only_of(model::FilesystemType::ext4);
  mount.integer("commit_interval_s", "seconds", {1, 21474836},
                FIELD(values.mount.commit_interval_s),
                "commit=: the age at which the running transaction is committed");
  mount.choice("data", {"ordered", "writeback", "journal"}, FIELD(values.mount.data),
               "data=: what is known of file data when a transaction commits");
  mount.boolean("delalloc", FIELD(values.mount.delalloc), "blocks are allocated at writeback");
  mount.boolean("barrier", FIELD(values.mount.barrier), "commits flush the device's cache");
  mount.boolean("dioread_nolock", FIELD(values.mount.dioread_nolock),
                "blocks are allocated unwritten and converted when the data is on disk");
  mount.boolean("auto_da_alloc", FIELD(values.mount.auto_da_alloc),
                "replacing a file by truncation or rename allocates its data at once");
  mount.only_of(std::nullopt);
  mount.choice("atime", {"relatime", "noatime", "strictatime"}, FIELD(values.mount.atime),
               "when a read updates the access time");
  mount.boolean("lazytime", FIELD(values.mount.lazytime), "timestamps stay in memory for a day");
  mount.boolean("sync", FIELD(values.mount.sync), "every change is synchronous");
  mount.boolean("dirsync", FIELD(values.mount.dirsync), "changes of directories are synchronous");
  mount.only_of(model::FilesystemType::ext4);
  constexpr std::string_view no_batching =
      "in the model a synchronous handle does not wait for others to join its commit";
  mount
      .integer("max_batch_time_us", "microseconds", {0}, FIELD(values.mount.max_batch_time_us),
               "recorded only: how long a synchronous handle may wait for others to join its "
               "commit")
      .without_effect = no_batching;
  mount
      .integer("min_batch_time_us", "microseconds", {0}, FIELD(values.mount.min_batch_time_us),
               "recorded only: how long it waits at least")
      .without_effect = no_batching;
  mount.only_of(model::FilesystemType::xfs);
  mount.boolean("wsync", FIELD(values.mount.wsync), "XFS: each change of metadata is synchronous");
  mount.integer("logbufs", "buffers", {2, 8}, FIELD(values.mount.logbufs),
                "XFS: in-core log buffers");
  mount
      .integer("logbsize_kib", "KiB", {16, 256}, FIELD(values.mount.logbsize_kib),
               "XFS: size of a log buffer; a larger checkpoint takes several")
      .power_of_two = true;
  mount.integer("allocsize_kib", "KiB", {0, 1048576}, FIELD(values.mount.allocsize_kib),
                "XFS: preallocation after the end; 0: it grows with the file");
}

void add_writeback(std::vector<Key>& keys) {
  TableBuilder writeback(keys, "writeback", KeyRole::setting);
  writeback.integer("dirty_expire_centisecs", "hundredths of a second", {0, 429496729},
                    FIELD(values.writeback.dirty_expire_centisecs),
                    "vm.dirty_expire_centisecs: the age at which the flusher writes dirty data");
  writeback.integer("dirty_writeback_centisecs", "hundredths of a second", {0, 429496729},
                    FIELD(values.writeback.dirty_writeback_centisecs),
                    "vm.dirty_writeback_centisecs: how often the flusher wakes");
  constexpr std::string_view no_limit =
      "the model does not know how much memory the machine has, and never runs out of it";
  writeback
      .integer("dirty_background_ratio", "percent", {0, 100}, FIELD(dirty_background_ratio),
               "recorded only: vm.dirty_background_ratio, dirty memory that starts the "
               "flusher")
      .without_effect = no_limit;
  writeback
      .integer("dirty_ratio", "percent", {0, 100}, FIELD(dirty_ratio),
               "recorded only: vm.dirty_ratio, dirty memory that stops writers")
      .without_effect = no_limit;
  writeback.only_of(model::FilesystemType::xfs);
  writeback.integer(
      "dirtytime_expire_seconds", "seconds", {0, 4294967},
      FIELD(values.writeback.dirtytime_expire_seconds),
      "XFS: vm.dirtytime_expire_seconds, the age at which lazytime's times are written");
  writeback.integer("xfssyncd_centisecs", "hundredths of a second", {100, 720000},
                    FIELD(values.writeback.xfssyncd_centisecs),
                    "XFS: fs.xfs.xfssyncd_centisecs, how often the log worker runs");
}

void add_device(std::vector<Key>& keys) {
  TableBuilder device(keys, "device", KeyRole::setting);
  device.real(
      "write_us", "microseconds", {}, FIELD(values.device.write_us),
      "one queued write of one block; a write that no call waits for takes this long, whatever "
      "its size");
  device.real("flush_us", "microseconds", {}, FIELD(values.device.flush_us),
              "one flush of the device's cache");
  device.real("fua_us", "microseconds", {}, FIELD(values.device.fua_us),
              "what forced unit access adds to a write");
  device.real("bandwidth_mib_s", "MiB a second", {1, kUnbounded},
              FIELD(values.device.bandwidth_mib_s), "of what a write holds beyond its first block");
}

void add_timing(std::vector<Key>& keys) {
  TableBuilder timing(keys, "timing", KeyRole::setting);
  timing.integer("entry_us", "microseconds", {0, 1e6}, FIELD(values.timing.entry_us),
                 "from the stamp at a call's entry to its work, and from there to the stamp at its "
                 "return: strace stops the program at both (11 to 29 in the middle half of 124,872 "
                 "recorded fsyncs)");
  timing.integer("effect_percent", "percent", {0, 100}, FIELD(values.timing.effect_percent),
                 "of a call's time that pass before a call that waits for nothing acts: the kernel "
                 "runs it shortly before the second stamp (the same recordings)");
  timing.integer("data_percent", "percent", {0, 100}, FIELD(values.timing.data_percent),
                 "of a sync call's time by which its data is on disk at the latest, unless what is "
                 "left is longer than a commit takes (recordings with trace events)");
  timing.integer("shortest_commit_percent", "percent", {0, 100},
                 FIELD(values.timing.shortest_commit_percent),
                 "where [device] is not given, the shortest commit is this quantile of the fast "
                 "commits that the trace shows: a few begin from a wrong guess and look shorter");
  timing.integer("shortest_commit_samples", "fast commits", {1, 1e9},
                 FIELD(values.timing.shortest_commit_samples),
                 "from so many on; before, flush_us of [device]");
  timing.integer("manifest_lead_us", "microseconds", {0, 1e12},
                 FIELD(values.timing.manifest_lead_us),
                 "where the bundle does not say when its files were listed: so long before the "
                 "first call (the median of 341 recordings)");
}

// A list that is seldom given is shown only then.
void shown_if_any(Key& key, std::vector<std::string> Settings::*list) {
  key.get = [list](const Settings& settings) -> std::optional<Value> {
    if ((settings.*list).empty()) return std::nullopt;
    return Value(settings.*list);
  };
}

void add_block_device(std::vector<Key>& keys) {
  TableBuilder device(keys, "block_device", KeyRole::setting);
  device.boolean("write_cache", FIELD(values.block_device.write_cache),
                 "queue/write_cache says \"write back\": what is durable needs a flush");
  device.boolean("fua", FIELD(values.block_device.fua),
                 "queue/fua: single writes can be made durable without a flush");
  device.information("logical_block_size", KeyKind::integer, "queue/logical_block_size");
}

void add_recording(std::vector<Key>& keys) {
  TableBuilder trace(keys, "trace", KeyRole::setting);
  trace.text("mount_point", FIELD(mount_point), "where the traced file system was mounted");
  shown_if_any(trace.texts("other_mounts", FIELD(other_mounts),
                           "absolute paths below the mount point where other file systems are "
                           "mounted"),
               &Settings::other_mounts);
  shown_if_any(trace.texts("also_at", FIELD(also_at),
                           "PATH=DIRECTORY: other absolute paths of its directories (bind mounts); "
                           "DIRECTORY is relative to the mount point, . is its root"),
               &Settings::also_at);
  shown_if_any(trace.texts("descriptors", FIELD(descriptors),
                           "N=PATH: absolute paths of descriptors that no call explains"),
               &Settings::descriptors);
  trace
      .boolean("unknown_are_files", FIELD(unknown_are_files),
               "descriptors above 2 that nothing explains are files of the file system")
      .get = [](const Settings& settings) -> std::optional<Value> {
    if (!settings.unknown_are_files) return std::nullopt;
    return Value(true);
  };
  trace.choice(
      "timing", {"recorded", "closed"}, FIELD(placement),
      "calls start when they were recorded to, or keep their think times and wait as long as "
      "[device] says");
  trace.information("command", KeyKind::text_list, "the recorded command");
  trace.text("setup", FIELD(setup), "what ran on the file system before the recording began");
  trace.real("manifest_at", "seconds", {0, 9e9}, FIELD(start.manifest_at_s),
             "CLOCK_REALTIME at which the manifest's directories were read; not given: 0.16 s "
             "before the first call");
  trace.texts(
      "manifest_moved_atimes", FIELD(start.manifest_moved_atimes),
      "the directories whose access times that moved, which opens a transaction; not given: "
      "all");
  trace.only_of(model::FilesystemType::ext4);
  trace.integer("transactions_before", "transactions", {0, 9e18}, FIELD(start.transactions_before),
                "what the mount had committed by then; 0: its first full commit is still to come");
  trace.only_of(model::FilesystemType::xfs);
  trace.real("mounted_before_start_s", "seconds", {0, 9e9}, FIELD(values.mounted.seconds),
             "XFS: how long before the first call the file system was mounted: when the log worker "
             "runs");
  trace.boolean("remounted_after_setup", FIELD(values.mounted.remounted),
                "XFS: mounted anew after the setup: inodes are read from disk");
  TableBuilder recorded(keys, "recorded_with", KeyRole::information);
  recorded.information("mkfs", KeyKind::text, "mkfs.xfs or mke2fs with its options");
  recorded.information("mke2fs", KeyKind::text, "options of mke2fs");
  recorded.information("tune2fs", KeyKind::text, "options of tune2fs");
  recorded.information("mount", KeyKind::text, "options of mount");
  recorded.information("image_size", KeyKind::text, "size of the image file");
  recorded.information("attached", KeyKind::boolean,
                       "strace attached to a program that ran already (record -p)");
  recorded.information("recorder", KeyKind::text, "what told of the calls: strace, tracepoints");
  recorded.information(
      "lost_events", KeyKind::integer,
      "events that the recorder lost; those of a call are what a prediction lacks");
  recorded.information("lacks", KeyKind::text_list, "what the recorder could not find out");
  Key& stages = recorded.texts("stages", FIELD(stages), "administrator's steps between the runs");
  stages.role = KeyRole::setting;
  stages.get = [](const Settings& settings) -> std::optional<Value> {
    if (settings.stages.empty()) return std::nullopt;
    return Value(settings.stages);
  };
}

}  // namespace

void add_machine_keys(std::vector<Key>& keys) {
  add_kernel(keys);
  add_filesystem(keys);
  add_mount(keys);
  add_writeback(keys);
  add_device(keys);
  add_timing(keys);
  add_block_device(keys);
  add_recording(keys);
}

#undef FIELD

}  // namespace fcsim::configuration
