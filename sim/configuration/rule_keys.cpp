// The keys that describe a kernel: what profiles hold and a patch under evaluation changes.
#include "sim/configuration/key_builder.h"
#include "sim/configuration/key_tables.h"

namespace fcsim::configuration {
namespace {

#define RULE(member)                      \
  [](Settings & settings) -> auto& {      \
    return settings.values.kernel.member; \
  }

void add_range_tracking(std::vector<Key>& keys) {
  TableBuilder table(keys, "range_tracking", KeyRole::rule);
  table.only_of(model::FilesystemType::ext4);
  table.choice("policy", {"single-span", "disjoint", "unlimited"}, RULE(range_tracking.policy),
               "how an inode remembers which of its blocks changed");
  table.integer("max_ranges", "ranges", {1}, RULE(range_tracking.max_ranges),
                "how many ranges \"disjoint\" keeps for an inode");
  table.choice("overflow", {"merge-closest", "merge-last", "collapse-to-span", "fallback"},
               RULE(range_tracking.overflow), "what \"disjoint\" does with one range too many");
  table.boolean("drop_degenerate", RULE(range_tracking.drop_degenerate),
                "calls whose end lies before their start are ignored");
  table.choice("storage", {"inline", "lazy-array", "tree"}, RULE(range_tracking.storage),
               "where the ranges are kept: decides bytes an inode, no counter");
}

void add_snapshot(std::vector<Key>& keys) {
  TableBuilder table(keys, "snapshot", KeyRole::rule);
  table.only_of(model::FilesystemType::ext4);
  table.boolean("enabled", RULE(snapshot.enabled),
                "inode state is copied while handles are stopped, the log written from the copies");
  table.integer("max_inodes", "inodes", {1}, RULE(snapshot.max_inodes),
                "inodes that one fast commit may copy");
  table.integer("max_ranges", "ranges", {1}, RULE(snapshot.max_ranges),
                "ranges that one fast commit may copy");
  table.choice("source", {"extent-tree", "extent-status"}, RULE(snapshot.source),
               "where the copied ranges are looked up");
}

void add_fast_commit(std::vector<Key>& keys) {
  TableBuilder table(keys, "fast_commit", KeyRole::rule);
  table.only_of(model::FilesystemType::ext4);
  table.integer("default_blocks", "blocks", {1}, RULE(fast_commit.default_blocks),
                "the area when the journal's superblock says 0; taken out of the log");
  table.integer("min_log_blocks", "blocks", {0}, RULE(fast_commit.min_log_blocks),
                "what the log must keep without the area for the mount to succeed");
  table.choice("directory_fsync", {"force-commit", "own-tid"}, RULE(fast_commit.directory_fsync),
               "fsync of anything but a regular file: the running transaction, or the file's own");
  table.choice("data_journal_fsync", {"force-commit", "fast-commit-attempt"},
               RULE(fast_commit.data_journal_fsync), "fsync of a file whose data is journalled");
  table.boolean("reserve_tracks_inode", RULE(fast_commit.reserve_tracks_inode),
                "an inode is queued when its buffer is reserved, even if nothing is written then");
  table.boolean("handles_stopped_throughout", RULE(fast_commit.handles_stopped_throughout),
                "handles wait for the whole fast commit, not for its beginning only");
  table.boolean("handles_wait_for_inode", RULE(fast_commit.handles_wait_for_inode),
                "a change of an inode that is being fast-committed waits for the end of that");
  table.integer("max_written_extent_blocks", "blocks", {1},
                RULE(fast_commit.max_written_extent_blocks), "longest ADD_RANGE of written blocks");
  table.integer("max_unwritten_extent_blocks", "blocks", {1},
                RULE(fast_commit.max_unwritten_extent_blocks),
                "longest ADD_RANGE of unwritten blocks");
  table.integer("max_lookup_blocks", "blocks", {0}, RULE(fast_commit.max_lookup_blocks),
                "longest piece that one look at the block map covers; 0: no limit");
}

void add_ineligible(std::vector<Key>& keys) {
  TableBuilder table(keys, "ineligible", KeyRole::rule);
  table.only_of(model::FilesystemType::ext4);
  table.texts("reasons", RULE(ineligible.reasons), "the reasons in the order fc_info prints them");
  table.integer("xattr_inner", "marks", {0, 1000}, RULE(ineligible.xattr_inner),
                "an xattr handle that changes something");
  table.integer("xattr_outer", "marks", {0, 1000}, RULE(ineligible.xattr_outer),
                "every set or removal of an xattr");
  table.integer("xattr_no_space_attempts", "attempts", {1, 1000},
                RULE(ineligible.xattr_no_space_attempts),
                "tries of a setxattr that ends in ENOSPC; each marks");
  table.integer("special_inode_update", "marks", {0, 1000}, RULE(ineligible.special_inode_update),
                "each write of an inode that is neither regular file nor directory");
  table.integer("special_block_map", "marks", {0, 1000}, RULE(ineligible.special_block_map),
                "each allocation of blocks for such an inode");
  table.boolean("migrate", RULE(ineligible.migrate), "EXT4_IOC_MIGRATE and chattr +e, -e mark");
  table.boolean("verity", RULE(ineligible.verity), "enabling fs-verity marks");
  table.boolean("move_extents", RULE(ineligible.move_extents), "EXT4_IOC_MOVE_EXT marks");
}

void add_jbd2(std::vector<Key>& keys) {
  TableBuilder table(keys, "jbd2", KeyRole::rule);
  table.only_of(model::FilesystemType::ext4);
  table.integer("transaction_divisor", "", {1, 1000}, RULE(jbd2.transaction_divisor),
                "the largest transaction is the log's length divided by this");
  table.boolean("limit_less_overhead", RULE(jbd2.limit_less_overhead),
                "a handle must fit into that less its descriptor blocks");
  table.integer("index_credits_one", "blocks", {0, 10000}, RULE(jbd2.index_credits_one),
                "index blocks reserved for one extent");
  table.integer("index_credits_many", "blocks", {0, 10000}, RULE(jbd2.index_credits_many),
                "index blocks reserved for several extents");
  table.integer("conversion_credits", "blocks", {0, 10000}, RULE(jbd2.conversion_credits),
                "reserved for the conversion of unwritten blocks when their data is on disk");
  table.integer("wakeup_us", "microseconds", {0, 1e6}, RULE(jbd2.wakeup_us),
                "from the end of a handle that finds the commit interval over until kjournald locks "
                "the transaction");
  table.integer("security_xattr_slots", "xattrs", {0, 100}, RULE(jbd2.security_xattr_slots),
                "security labels for which each creation reserves credits");
  table.integer("default_revoke_credits", "records", {0, 10000}, RULE(jbd2.default_revoke_credits),
                "revoke records that a handle reserves unless it says otherwise");
}

void add_credits(std::vector<Key>& keys) {
  TableBuilder table(keys, "credits", KeyRole::rule);
  const auto blocks = [&](std::string_view name, auto field, std::string_view documentation) {
    table.integer(name, "blocks", {0, 10000}, field, documentation);
  };
  blocks("data", RULE(credits.data), "what a change of a file's name or data asks for");
  blocks("index_extra", RULE(credits.index_extra), "for a directory's index, beyond data");
  blocks("xattr_extra", RULE(credits.xattr_extra), "for extended attributes");
  blocks("create_extra", RULE(credits.create_extra), "of a creation, beyond data and index_extra");
  blocks("tmpfile_extra", RULE(credits.tmpfile_extra),
         "of a file without a name, beyond xattr_extra");
  blocks("link_extra", RULE(credits.link_extra), "of a link, beyond data and index_extra");
  blocks("rename_extra", RULE(credits.rename_extra),
         "of a rename, beyond twice data and index_extra");
  blocks("evict_extra", RULE(credits.evict_extra),
         "of a deletion, beyond data and the blocks of the extent tree");
  blocks("inode", RULE(credits.inode), "of a change of the inode alone");
  blocks("set_size", RULE(credits.set_size), "of a truncation's first handle");
  blocks("xattr", RULE(credits.xattr), "of a change of an extended attribute");
  blocks("security_xattr", RULE(credits.security_xattr),
         "of a creation, for each of jbd2.security_xattr_slots");
}

void add_allocation(std::vector<Key>& keys) {
  TableBuilder blocks(keys, "block_allocation", KeyRole::rule);
  blocks.integer("stream_request_blocks", "blocks", {1},
                 RULE(block_allocation.stream_request_blocks),
                 "a file of more blocks does not share its CPU's window with others");
  blocks.integer("group_window_blocks", "blocks", {1}, RULE(block_allocation.group_window_blocks),
                 "length of a CPU's window for small files");
  blocks.integer("flex_scheme_groups", "groups", {1}, RULE(block_allocation.flex_scheme_groups),
                 "a flex group of at least so many groups keeps data out of its first group");
  blocks.integer("smallest_window_kib", "KiB", {1, 1048576},
                 RULE(block_allocation.smallest_window_kib),
                 "the first size class of a file's window; each is twice the one before");
  blocks.integer("largest_class_kib", "KiB", {1, 1048576}, RULE(block_allocation.largest_class_kib),
                 "the last size class");
  blocks.integer("aligned_window_kib", "KiB", {64, 1048576},
                 RULE(block_allocation.aligned_window_kib),
                 "a larger file's window is this long, twice or four times, and aligned to that");
  TableBuilder inodes(keys, "inode_allocation", KeyRole::rule);
  inodes.integer("spare_divisor", "", {1, 1000}, RULE(inode_allocation.spare_divisor),
                 "a flex group may have fewer free inodes and blocks than the average, by its "
                 "inodes and blocks divided by this, and takes a new directory still");
  inodes.integer("directory_divisor", "", {1, 1000}, RULE(inode_allocation.directory_divisor),
                 "... and more directories than the average, by its inodes divided by this");
}

void add_smaller_tables(std::vector<Key>& keys) {
  TableBuilder timestamps(keys, "timestamps", KeyRole::rule);
  timestamps.boolean("multigrain", RULE(timestamps.multigrain),
                     "the change after a stat gets a fine-grained time, others the tick's");
  timestamps.boolean("lazytime_defers_mtime", RULE(timestamps.lazytime_defers_mtime),
                     "lazytime keeps mtime and ctime in memory, not only atime");
  TableBuilder allocation(keys, "delayed_allocation", KeyRole::rule);
  allocation.only_of(model::FilesystemType::ext4);
  allocation.boolean("size_dirties_inode", RULE(delayed_allocation.size_dirties_inode),
                     "every append opens a handle for the inode at the time of the write");
  allocation.boolean("gap_write_handle", RULE(delayed_allocation.gap_write_handle),
                     "a write beyond the end of the file opens one handle more");
  allocation.boolean("large_folios", RULE(delayed_allocation.large_folios),
                     "without delayed allocation a write opens a handle a folio, not a page");
  allocation.integer("max_mapping_blocks", "blocks", {1},
                     RULE(delayed_allocation.max_mapping_blocks),
                     "that writeback maps in one handle");
  TableBuilder names(keys, "names", KeyRole::rule);
  names.only_of(model::FilesystemType::ext4);
  names.boolean("rename_dirties_dotdot", RULE(names.rename_dirties_dotdot),
                "renaming a directory within its parent still writes the directory's own block");
  TableBuilder reclaim(keys, "reclaim", KeyRole::rule);
  reclaim.integer("flush_us", "us", {0, 1'000'000'000}, RULE(reclaim.flush_us),
                  "a call that drops caches and takes at least this long gives the flusher its "
                  "turn: inodes that were only dirty in their times can then leave memory");
}

void add_xfs(std::vector<Key>& keys) {
  TableBuilder xfs(keys, "xfs", KeyRole::rule);
  xfs.only_of(model::FilesystemType::xfs);
  xfs.boolean("lazytime_logs_core", RULE(xfs.lazytime_logs_core),
              "a write's lazytime update logs the inode's core: fdatasync writes the log for it");
  xfs.boolean("datasync_sequence", RULE(xfs.datasync_sequence),
              "fdatasync forces the last sequence that changed more than timestamps, not the last "
              "of all");
  xfs.integer("clock_read_after_us", "microseconds", {0, 1e6}, RULE(xfs.clock_read_after_us),
              "when a direct or synchronous call reads the clock for its timestamps, after the "
              "recorded entry");
  xfs.integer("clock_read_at_percent", "percent", {0, 100}, RULE(xfs.clock_read_at_percent),
              "when any other call reads it: so much of the recorded duration is over");
  xfs.integer("fault_before_msync_us", "microseconds", {0, 1e6}, RULE(xfs.fault_before_msync_us),
              "when the page fault of a store through a mapping reads it, before the msync's "
              "recorded entry");
}

void add_durability(std::vector<Key>& keys) {
  TableBuilder table(keys, "durability", KeyRole::rule);
  table.boolean("sleeper_checks_inode", RULE(durability.sleeper_checks_inode),
                "a call that slept through another's fast commit makes sure that its own inode "
                "was in it");
  table.boolean("tmpfile_link_logs_inode", RULE(durability.tmpfile_link_logs_inode),
                "linkat of an O_TMPFILE file leaves a record that creates the inode at replay");
  table.boolean("unlinked_inode_replays", RULE(durability.unlinked_inode_replays),
                "the replay accepts the record of an inode without links");
  table.boolean("directory_attributes_logged", RULE(durability.directory_attributes_logged),
                "a fast commit holds the changed mode and times of directories");
  table.boolean("ineligible_keeps_tracking", RULE(durability.ineligible_keeps_tracking),
                "what happens while a transaction is marked ineligible is tracked all the same");
}

}  // namespace

void add_rule_keys(std::vector<Key>& keys) {
  add_range_tracking(keys);
  add_snapshot(keys);
  add_fast_commit(keys);
  add_ineligible(keys);
  add_jbd2(keys);
  add_credits(keys);
  add_allocation(keys);
  add_smaller_tables(keys);
  add_xfs(keys);
  add_durability(keys);
}

#undef RULE

}  // namespace fcsim::configuration
