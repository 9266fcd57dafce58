#include "sim/record/environment_text.h"

#include "sim/record/toml_writer.h"

namespace fcsim::sim {
namespace {

void add_kernel(TomlWriter& writer, const Environment& environment) {
  writer.table("[kernel]");
  writer.text("release", environment.release);
  if (!environment.profile.empty()) writer.text("profile", environment.profile);
  writer.integer("hz", environment.clock.hz);
  if (!environment.clock.smp) writer.boolean("smp", false);
  writer.table("[clock]");
  if (const auto phase = environment.clock.tick_phase_ns) writer.integer("tick_phase_ns", *phase);
  if (const auto jiffy0 = environment.clock.jiffy0_realtime_ns)
    writer.integer("jiffy0_realtime_ns", *jiffy0);
}

// What was not read from the superblock is left to the defaults.
void add_filesystem(TomlWriter& writer, const model::FilesystemSettings& settings, bool whole) {
  writer.table("[filesystem]");
  writer.text("type", "ext4");
  writer.integer("block_size", settings.block_size);
  writer.integer("block_count", static_cast<std::int64_t>(settings.block_count));
  writer.integer("blocks_per_group", settings.blocks_per_group);
  writer.integer("inode_count", settings.inode_count);
  writer.integer("inodes_per_group", settings.inodes_per_group);
  writer.integer("journal_blocks", settings.journal_blocks);
  writer.integer("fast_commit_blocks", settings.fast_commit_blocks);
  if (!whole) return;
  writer.integer("inode_size", settings.inode_size);
  writer.integer("extra_isize", settings.extra_isize);
  writer.integer("flex_group_size", settings.flex_group_size);
  writer.texts("features", settings.features);
}

void add_mount(TomlWriter& writer, const model::MountSettings& settings) {
  using model::AtimeMode;
  using model::DataMode;
  writer.table("[mount]");
  writer.integer("commit_interval_s", settings.commit_interval_s);
  writer.text("data", settings.data == DataMode::journal     ? "journal"
                      : settings.data == DataMode::writeback ? "writeback"
                                                             : "ordered");
  writer.boolean("delalloc", settings.delalloc);
  writer.boolean("barrier", settings.barrier);
  writer.boolean("dioread_nolock", settings.dioread_nolock);
  writer.boolean("auto_da_alloc", settings.auto_da_alloc);
  writer.text("atime", settings.atime == AtimeMode::noatime    ? "noatime"
                       : settings.atime == AtimeMode::relatime ? "relatime"
                                                               : "strictatime");
  writer.boolean("lazytime", settings.lazytime);
  writer.boolean("sync", settings.sync);
  writer.boolean("dirsync", settings.dirsync);
  writer.integer("max_batch_time_us", settings.max_batch_time_us);
  writer.integer("min_batch_time_us", settings.min_batch_time_us);
}

}  // namespace

std::string environment_text(const Environment& environment, const TraceTable& trace) {
  TomlWriter writer;
  add_kernel(writer, environment);
  if (environment.filesystem)
    add_filesystem(writer, *environment.filesystem, environment.whole_geometry);
  if (environment.mount) add_mount(writer, *environment.mount);
  writer.table("[writeback]");
  for (const auto& [name, value] : environment.writeback) writer.integer(name, value);
  writer.table("[trace]");
  writer.text("mount_point", trace.mount_point);
  writer.texts("command", trace.command);
  writer.text("setup", "");
  if (trace.manifest_at) {
    writer.seconds("manifest_at", *trace.manifest_at);
    writer.texts("manifest_moved_atimes", trace.manifest_moved_atimes);
  }
  if (trace.transactions_before)
    writer.integer("transactions_before", static_cast<std::int64_t>(*trace.transactions_before));
  writer.table("[recorded_with]");
  writer.texts("lacks", environment.lacks);
  return writer.result();
}

}  // namespace fcsim::sim
