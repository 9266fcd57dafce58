// Everything that a prediction depends on besides the trace: one plain value per setting.
//
// The members mirror the TOML tables; sim/configuration/ fills them and owns names, units, defaults
// and documentation. The model reads them and nothing else: no kernel version is known here, a
// kernel is the values of `KernelRules` that its profile in configs/kernels/ gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/common/block_device.h"

namespace fcsim::model {

// [kernel] and [clock]: how the machine's kernel was built, and where its ticks lay.
struct ClockSettings {
  std::int32_t hz = 250;                           // ticks a second: 100, 250, 300 or 1000
  bool smp = true;                                 // built for several processors
  std::int64_t percpu_batch = 32;                  // by which a per-CPU counter may lag
  std::optional<std::int64_t> tick_phase_ns;       // the coarse clock's steps within a tick
  std::optional<std::int64_t> jiffy0_realtime_ns;  // CLOCK_REALTIME at jiffy 0 (boot)
  std::int64_t tick_value_lag_ns = 0;  // the coarse clock's value lies so far before its step
  friend bool operator==(const ClockSettings&, const ClockSettings&) = default;
};

enum class FilesystemType : std::uint8_t { ext4, xfs };

// [filesystem] of type "xfs": what only XFS has, as xfs_info shows it.
struct XfsGeometry {
  std::uint32_t ag_count = 4;
  std::uint64_t ag_blocks = 65536;
  std::uint32_t sector_size = 512;  // bytes
  std::uint32_t stripe_unit_blocks = 0;
  std::uint32_t directory_block_size = 4096;  // bytes
  std::uint64_t log_blocks = 16384;
  std::uint32_t log_sector_size = 512;  // bytes
  std::uint32_t log_stripe_unit_blocks = 0;
  friend bool operator==(const XfsGeometry&, const XfsGeometry&) = default;
};

// [filesystem]: what mke2fs made, as dumpe2fs shows it.
struct FilesystemSettings {
  FilesystemType type = FilesystemType::ext4;
  XfsGeometry xfs;
  std::uint32_t block_size = 4096;  // bytes: 1024, 2048, 4096 (65536 at most)
  std::uint64_t block_count = 262144;
  std::uint32_t blocks_per_group = 32768;
  std::uint32_t inode_count = 65536;
  std::uint32_t inodes_per_group = 8192;
  std::uint32_t inode_size = 256;  // bytes
  std::uint32_t extra_isize = 32;  // bytes beyond 128 in use by default
  std::uint32_t flex_group_size = 16;
  std::uint32_t journal_blocks = 8320;     // total, the fast-commit area included; 0: no journal
  std::uint32_t fast_commit_blocks = 128;  // "Fast commit length"; 0: not given on disk
  std::vector<std::string> features;       // names as dumpe2fs prints them
  [[nodiscard]] bool has(const std::string& feature) const {
    for (const std::string& f : features)
      if (f == feature) return true;
    return false;
  }
  friend bool operator==(const FilesystemSettings&, const FilesystemSettings&) = default;
};

enum class DataMode : std::uint8_t { ordered, writeback, journal };
enum class AtimeMode : std::uint8_t { relatime, noatime, strictatime };

// [mount]
struct MountSettings {
  std::int64_t commit_interval_s = 5;
  DataMode data = DataMode::ordered;
  bool delalloc = true;
  bool barrier = true;
  bool dioread_nolock = true;
  bool auto_da_alloc = true;
  AtimeMode atime = AtimeMode::relatime;
  bool lazytime = false;
  bool sync = false;
  bool dirsync = false;
  std::int64_t max_batch_time_us = 15000;  // for mounts alike; the model looks at neither
  std::int64_t min_batch_time_us = 0;
  // XFS's
  bool wsync = false;
  std::uint32_t logbufs = 8;
  std::uint32_t logbsize_kib = 32;  // 16 to 256
  std::uint32_t allocsize_kib = 0;  // 0: preallocation grows with the file
  friend bool operator==(const MountSettings&, const MountSettings&) = default;
};

// [writeback]: /proc/sys/vm
struct WritebackSettings {
  std::int64_t dirty_expire_centisecs = 3000;
  std::int64_t dirty_writeback_centisecs = 500;
  std::int64_t dirtytime_expire_seconds = 43200;
  std::int64_t xfssyncd_centisecs = 3000;  // /proc/sys/fs/xfs
  friend bool operator==(const WritebackSettings&, const WritebackSettings&) = default;
};

// [device]: costs that decide who waits for whom when several processes sync.
struct DeviceSettings {
  double write_us = 60;          // one queued write, whatever its size
  double flush_us = 300;         // one cache flush
  double fua_us = 100;           // what forced unit access adds to a write
  double bandwidth_mib_s = 800;  // of data after the first block
  bool given = false;            // some of these were given: they are not learnt from a trace
  friend bool operator==(const DeviceSettings&, const DeviceSettings&) = default;
};

// [timing]: how the times of a recorded call are read. Properties of strace and of the scheduler,
// no kernel's and no device's.
struct TimingSettings {
  std::int64_t entry_us = 15;        // from a call's first stamp to its work, and back
  std::int64_t effect_percent = 75;  // of a call's time, when one that waits for nothing acts
  std::int64_t data_percent = 40;    // of what is left of a sync call, for its data
  std::int64_t shortest_commit_percent = 10;  // quantile of the commit times seen
  std::int64_t shortest_commit_samples = 5;   // times from which on that quantile is used
  std::int64_t manifest_lead_us = 160'000;    // from the listing of the files to the first call
  friend bool operator==(const TimingSettings&, const TimingSettings&) = default;
};

enum class TrackerPolicy : std::uint8_t { single_span, disjoint, unlimited };
enum class TrackerOverflow : std::uint8_t { merge_closest, merge_last, collapse_to_span, fallback };
enum class TrackerStorage : std::uint8_t { inlined, lazy_array, tree };
enum class RangeSource : std::uint8_t { extent_tree, extent_status };
enum class DirectoryFsync : std::uint8_t { force_commit, own_tid };
enum class DataJournalFsync : std::uint8_t { force_commit, fast_commit_attempt };

// [range_tracking]: how one inode remembers which blocks changed in the running transaction.
struct RangeTrackingRules {
  TrackerPolicy policy = TrackerPolicy::single_span;
  std::uint32_t max_ranges = 16;  // of `disjoint`
  TrackerOverflow overflow = TrackerOverflow::merge_closest;
  bool drop_degenerate = false;  // ignore calls whose end lies before their start
  TrackerStorage storage = TrackerStorage::inlined;
  friend bool operator==(const RangeTrackingRules&, const RangeTrackingRules&) = default;
};

// [snapshot]: inode state copied while handles are stopped, the log written from the copies. As the
// copies are read and not consumed, a created inode that is also queued logs its ranges twice.
struct SnapshotRules {
  bool enabled = false;
  std::uint32_t max_inodes = 1024;
  std::uint32_t max_ranges = 2048;
  RangeSource source = RangeSource::extent_tree;
  friend bool operator==(const SnapshotRules&, const SnapshotRules&) = default;
};

// [fast_commit]
struct FastCommitRules {
  std::uint32_t default_blocks = 256;   // area when the journal superblock says 0
  std::uint32_t min_log_blocks = 1024;  // the log must keep this many without the area
  DirectoryFsync directory_fsync = DirectoryFsync::force_commit;
  DataJournalFsync data_journal_fsync = DataJournalFsync::fast_commit_attempt;
  bool reserve_tracks_inode =
      true;  // an inode is queued when its buffer is reserved, unchanged or not
  bool handles_stopped_throughout = false;  // handles wait for the whole fast commit
  // A handle that changes an inode of the fast commit under way waits for its end.
  bool handles_wait_for_inode = true;
  std::uint32_t max_written_extent_blocks = 32768;  // of one ADD_RANGE
  std::uint32_t max_unwritten_extent_blocks = 32767;
  std::uint64_t max_lookup_blocks = 0x7fffffff;  // of one mapping request; 0: no cap
  friend bool operator==(const FastCommitRules&, const FastCommitRules&) = default;
};

// [ineligible]: marks per event, and the reasons that fc_info prints.
struct IneligibleRules {
  std::vector<std::string> reasons;           // names in the order printed
  std::uint32_t xattr_inner = 1;              // ext4_xattr_set_handle that changes something
  std::uint32_t xattr_outer = 1;              // every ext4_xattr_set
  std::uint32_t xattr_no_space_attempts = 4;  // tries of a set that ends in ENOSPC
  std::uint32_t special_inode_update =
      2;  // each write of an inode that is not a regular file or directory
  std::uint32_t special_block_map = 1;  // each allocating block map of such an inode
  bool migrate = false;
  bool verity = false;
  bool move_extents = false;
  friend bool operator==(const IneligibleRules&, const IneligibleRules&) = default;
};

// [jbd2]
struct Jbd2Rules {
  std::uint32_t transaction_divisor = 3;  // log length / this = largest transaction
  bool limit_less_overhead = true;        // a request is compared with the limit less descriptors
  std::uint32_t index_credits_one = 11;   // index blocks reserved for one extent
  std::uint32_t index_credits_many = 17;
  std::uint32_t conversion_credits = 18;   // reserved for a conversion at I/O end
  std::uint32_t security_xattr_slots = 1;  // 7 credits each on create
  std::uint32_t default_revoke_credits = 8;
  std::int64_t wakeup_us = 0;  // from a handle's end that wakes kjournald until it locks
  friend bool operator==(const Jbd2Rules&, const Jbd2Rules&) = default;
};

// [credits]: blocks that a handle of each kind asks its journal for.
struct CreditRules {
  std::uint32_t data = 24;           // EXT4_DATA_TRANS_BLOCKS
  std::uint32_t index_extra = 12;    // EXT4_INDEX_EXTRA_TRANS_BLOCKS
  std::uint32_t xattr_extra = 6;     // EXT4_XATTR_TRANS_BLOCKS
  std::uint32_t create_extra = 3;    // of a new inode beyond data and index
  std::uint32_t tmpfile_extra = 4;   // of an inode without a name, beyond xattr_extra
  std::uint32_t link_extra = 1;      // beyond data and index
  std::uint32_t rename_extra = 2;    // beyond two names' data and one index
  std::uint32_t evict_extra = 3;     // beyond data and the blocks of the extent tree
  std::uint32_t inode = 2;           // a change of the inode alone
  std::uint32_t set_size = 3;        // a truncation's first handle
  std::uint32_t xattr = 7;           // a change of an xattr
  std::uint32_t security_xattr = 7;  // each of jbd2.security_xattr_slots
  friend bool operator==(const CreditRules&, const CreditRules&) = default;
};

// [block_allocation]: mballoc's sizes.
struct BlockAllocationRules {
  std::uint32_t stream_request_blocks = 16;  // a larger file leaves the CPU's window
  std::uint32_t group_window_blocks = 512;   // of a CPU's window for small files
  std::uint32_t flex_scheme_groups = 4;  // a flex group from so many on keeps data out of its first
  std::uint32_t smallest_window_kib = 16;   // size classes double from here
  std::uint32_t largest_class_kib = 1024;   // to here
  std::uint32_t aligned_window_kib = 2048;  // beyond: windows of this, twice and four times it
  friend bool operator==(const BlockAllocationRules&, const BlockAllocationRules&) = default;
};

// [inode_allocation]: Orlov's limits, as parts of a flex group's inodes and blocks.
struct InodeAllocationRules {
  std::uint32_t spare_divisor = 4;       // 1/4 fewer free ones than the average are enough
  std::uint32_t directory_divisor = 16;  // 1/16 more directories than the average are allowed
  friend bool operator==(const InodeAllocationRules&, const InodeAllocationRules&) = default;
};

// [timestamps]
struct TimestampRules {
  bool multigrain = true;              // a queried ctime makes the next change fine-grained
  bool lazytime_defers_mtime = false;  // lazytime keeps mtime and ctime in memory
  friend bool operator==(const TimestampRules&, const TimestampRules&) = default;
};

// [delayed_allocation]
struct DelayedAllocationRules {
  bool size_dirties_inode = false;          // every append opens an inode handle at write time
  bool gap_write_handle = true;             // a write beyond the end of file opens one more
  bool large_folios = true;                 // nodelalloc: one handle a folio, not a page
  std::uint32_t max_mapping_blocks = 2048;  // that writeback maps at a time
  friend bool operator==(const DelayedAllocationRules&, const DelayedAllocationRules&) = default;
};

// [reclaim]
struct ReclaimRules {
  std::int64_t flush_us = 3500;  // a call that drops caches and takes as long flushes dirty times
  friend bool operator==(const ReclaimRules&, const ReclaimRules&) = default;
};

// [names]
struct NameRules {
  bool rename_dirties_dotdot =
      false;  // renaming a directory within its parent touches its own block
  friend bool operator==(const NameRules&, const NameRules&) = default;
};

// [xfs]
struct XfsRules {
  // From 7.0 on a lazytime update of a write logs the inode's core, so that fdatasync must write
  // the log for it (fs/xfs/xfs_iops.c:xfs_vn_update_time).
  bool lazytime_logs_core = false;
  // fdatasync forces the last sequence that changed more than timestamps; without such a sequence
  // the last of all (fs/xfs/xfs_file.c:xfs_fsync_seq).
  bool datasync_sequence = true;
  // When a call reads the clock for its timestamps: so long after its recorded entry if it then
  // waits for data or log, else when so much of its recorded duration is over.
  std::int64_t clock_read_after_us = 22;
  std::int64_t clock_read_at_percent = 90;
  std::int64_t fault_before_msync_us = 31;  // the store that an msync is about
  friend bool operator==(const XfsRules&, const XfsRules&) = default;
};

// [durability]: what a fast commit's log holds and what its replay makes of it. All false: the
// kernels that were measured. true: what a patch would have to reach.
struct DurabilityRules {
  bool sleeper_checks_inode = false;         // whoever slept through another's fast commit makes
                                             // sure that its own inode was in it
  bool tmpfile_link_logs_inode = false;      // linkat of an O_TMPFILE file leaves a CREAT record
  bool unlinked_inode_replays = false;       // replay accepts an inode without links
  bool directory_attributes_logged = false;  // a changed mode or time of a directory is in the log
  bool ineligible_keeps_tracking = false;    // a mark does not switch tracking off
  friend bool operator==(const DurabilityRules&, const DurabilityRules&) = default;
};

// A kernel: the values of its profile.
struct KernelRules {
  std::string profile = "6.18";
  std::string summary;
  RangeTrackingRules range_tracking;
  SnapshotRules snapshot;
  FastCommitRules fast_commit;
  IneligibleRules ineligible;
  Jbd2Rules jbd2;
  CreditRules credits;
  BlockAllocationRules block_allocation;
  InodeAllocationRules inode_allocation;
  TimestampRules timestamps;
  DelayedAllocationRules delayed_allocation;
  NameRules names;
  ReclaimRules reclaim;
  XfsRules xfs;
  DurabilityRules durability;
  friend bool operator==(const KernelRules&, const KernelRules&) = default;
};

// [trace]: what the mount had seen when the trace began.
struct MountedBefore {
  double seconds = 0;      // since the mount
  bool remounted = false;  // after the setup: inodes are read from disk
  bool written = false;    // something was written on this mount
  friend bool operator==(const MountedBefore&, const MountedBefore&) = default;
};

struct Configuration {
  KernelRules kernel;
  ClockSettings clock;
  FilesystemSettings filesystem;
  MountSettings mount;
  WritebackSettings writeback;
  DeviceSettings device;
  TimingSettings timing;
  BlockDeviceSettings block_device;
  MountedBefore mounted;
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

}  // namespace fcsim::model
