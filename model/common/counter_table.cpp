#include "model/common/counter_table.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace fcsim::model {
namespace {

// The value at the end of a path of members.
template <auto... Members>
constexpr Accessor at() {
  return {[](const Counters& counters) { return (counters.*....*Members); },
          [](Counters& counters) -> std::uint64_t& { return (counters.*....*Members); }};
}

template <Cause Which>
constexpr Accessor at_cause() {
  constexpr auto kIndex = static_cast<std::size_t>(Which);
  return {[](const Counters& counters) { return counters.causes[kIndex]; },
          [](Counters& counters) -> std::uint64_t& { return counters.causes[kIndex]; }};
}

template <auto Member>
constexpr Accessor at_snapshot() {
  return at<&Counters::snapshot, Member>();
}

template <auto Member>
constexpr Accessor at_call() {
  return at<&Counters::sync_calls, Member>();
}

template <auto Member>
constexpr Accessor at_memory() {
  return at<&Counters::tracker_memory, Member>();
}

bool always(const Counters&) {
  return true;
}

bool has_ext4(const Counters& counters) {
  return !counters.has_xfs;
}

bool has_xfs(const Counters& counters) {
  return counters.has_xfs;
}

bool has_block_device(const Counters& counters) {
  return counters.has_block_device;
}

template <auto Member>
constexpr Accessor at_xfs() {
  return at<&Counters::xfs, Member>();
}

template <CheckpointCause Which>
constexpr Accessor at_checkpoint_cause() {
  constexpr auto kIndex = static_cast<std::size_t>(Which);
  return {[](const Counters& counters) { return counters.xfs.causes[kIndex]; },
          [](Counters& counters) -> std::uint64_t& { return counters.xfs.causes[kIndex]; }};
}

template <auto Member>
constexpr Accessor at_device() {
  return at<&Counters::block_device, Member>();
}

bool has_snapshot(const Counters& counters) {
  return counters.has_snapshot;
}

constexpr auto kKernel = CountedBy::kernel;
constexpr auto kModel = CountedBy::model;

constexpr Counter kFastCommitInfo[] = {
    {.name = "commits",
     .unit = "fast commits",
     .documentation = "Calls of `ext4_fc_commit` that wrote a log to the fast-commit area "
                      "(`s_fc_stats.fc_num_commits`, fs/ext4/fast_commit.c).",
     .value = at<&Counters::commits>(),
     .counted_by = kKernel,
     .main = true},
    {.name = "ineligible",
     .unit = "calls",
     .documentation =
         "Calls of `ext4_fc_commit` that fell back to a full commit, for whatever reason: the "
         "transaction was marked ineligible, the log did not fit into the area, or no "
         "transaction was committed since the mount (`s_fc_stats.fc_ineligible_commits`, "
         "`ext4_fc_update_stats`).",
     .value = at<&Counters::ineligible>(),
     .counted_by = kKernel,
     .main = true},
    {.name = "numblks",
     .unit = "blocks",
     .documentation =
         "Blocks of the fast-commit area that fast commits wrote (`s_fc_stats.fc_numblks`).",
     .value = at<&Counters::numblks>(),
     .counted_by = kKernel,
     .main = true},
};

constexpr std::string_view kCopied = "Snapshot stats:";
constexpr std::string_view kRefused = "Snapshot failures:";

constexpr Counter kSnapshot[] = {
    {.name = "inodes",
     .unit = "inodes",
     .documentation = "Inodes that were copied for a fast commit.",
     .value = at_snapshot<&SnapshotCounters::inodes>(),
     .counted_by = kKernel,
     .remark = "copied",
     .heading = kCopied},
    {.name = "ranges",
     .unit = "ranges",
     .documentation = "Ranges that were copied for a fast commit.",
     .value = at_snapshot<&SnapshotCounters::ranges>(),
     .counted_by = kKernel,
     .remark = "copied",
     .heading = kCopied},
    {.name = "es_miss",
     .unit = "refusals",
     .documentation = "A range was not in the extent status tree.",
     .value = at_snapshot<&SnapshotCounters::es_miss>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "es_delayed",
     .unit = "refusals",
     .documentation = "A range was still delayed: no block was allocated.",
     .value = at_snapshot<&SnapshotCounters::es_delayed>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "es_other",
     .unit = "refusals",
     .documentation = "A range was in another state that cannot be copied.",
     .value = at_snapshot<&SnapshotCounters::es_other>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "inodes_cap",
     .unit = "refusals",
     .documentation = "More inodes than `[snapshot] max_inodes`.",
     .value = at_snapshot<&SnapshotCounters::inodes_cap>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "ranges_cap",
     .unit = "refusals",
     .documentation = "More ranges than `[snapshot] max_ranges`.",
     .value = at_snapshot<&SnapshotCounters::ranges_cap>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "nomem",
     .unit = "refusals",
     .documentation = "No memory for the copy. The model never lacks memory: 0.",
     .value = at_snapshot<&SnapshotCounters::nomem>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "inode_loc",
     .unit = "refusals",
     .documentation = "The inode's block could not be read. The model's device never fails: 0.",
     .value = at_snapshot<&SnapshotCounters::inode_loc>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
    {.name = "no_snap",
     .unit = "refusals",
     .documentation = "An inode had no copy when the log was written. Not modelled: 0.",
     .value = at_snapshot<&SnapshotCounters::no_snap>(),
     .counted_by = kKernel,
     .remark = "refusals",
     .heading = kRefused},
};

constexpr Counter kJbd2[] = {
    {.name = "transactions",
     .unit = "full commits",
     .documentation = "Full commits (`j_stats.ts_tid`, fs/jbd2/commit.c).",
     .value = at<&Counters::transactions>(),
     .counted_by = kKernel,
     .main = true},
    {.name = "requested",
     .unit = "full commits",
     .documentation =
         "Full commits that a caller requested (`j_stats.ts_requested`); the commit timer began "
         "the rest.",
     .value = at<&Counters::requested>(),
     .counted_by = kKernel,
     .main = true,
     .remark = "requested by a caller; the rest by the commit timer"},
    {.name = "blocks",
     .unit = "blocks",
     .documentation = "Metadata blocks of all full commits. The kernel prints their average.",
     .value = at<&Counters::blocks>(),
     .counted_by = kModel},
    {.name = "blocks_logged",
     .unit = "blocks",
     .documentation =
         "Blocks that all full commits wrote to the log: metadata, descriptors, revoke records "
         "and commit records. The kernel prints their average.",
     .value = at<&Counters::blocks_logged>(),
     .counted_by = kModel,
     .label = "blocks logged"},
    {.name = "handles",
     .unit = "handles",
     .documentation = "Handles of all full commits. The kernel prints their average.",
     .value = at<&Counters::handles>(),
     .counted_by = kModel},
    {.name = "max_transaction_blocks",
     .unit = "blocks",
     .documentation =
         "The limit of one transaction (`j_max_transaction_buffers`): \"each up to N blocks\". "
         "In truth.toml it is in `[run]`.",
     .value = at<&Counters::max_transaction_blocks>(),
     .counted_by = kKernel,
     .combination = Combination::latest},
};

template <Cause Which>
constexpr Counter cause(std::string_view documentation, std::string_view remark) {
  return {.name = kCauseNames[static_cast<std::size_t>(Which)],
          .unit = "full commits",
          .documentation = documentation,
          .value = at_cause<Which>(),
          .counted_by = kModel,
          .remark = remark};
}

constexpr Counter kCausesTable[] = {
    cause<Cause::fast_commit_off>("fsync or fdatasync of a file while fast commit is not active.",
                                  "fast commit is not active"),
    cause<Cause::first_commit>("No transaction was committed yet since the mount.",
                               "the first commit of a mount is a full one"),
    cause<Cause::area_full>("The fast commit did not fit into the fast-commit area.",
                            "the fast commit did not fit into the area"),
    cause<Cause::log_failed>(
        "The fast commit's log could not be made: a file without extents was cut.",
        "the log could not be made: a file without extents was cut"),
    cause<Cause::ineligible>("The transaction held something that fast commits cannot log.",
                             "something that fast commits cannot log"),
    cause<Cause::snapshot_refused>(
        "The state of an inode could not be copied (kernels with snapshots).",
        "inode state could not be copied"),
    cause<Cause::directory_fsync>("fsync of a directory or a special file.",
                                  "fsync of a directory or special file"),
    cause<Cause::timer>("kjournald's timer: the commit interval was over.",
                        "the commit interval's timer"),
    cause<Cause::expired>("A handle ended after the commit interval and requested the commit.",
                          "a call found the transaction past the interval"),
    cause<Cause::sync>("sync or syncfs.", "sync or syncfs"),
    cause<Cause::synchronous_handle>(
        "A sync or dirsync mount, or a file or directory with the attribute S or D.",
        "sync or dirsync mount or file"),
    cause<Cause::transaction_full>("The credits of the next handle did not fit.",
                                   "the transaction had reached its limit"),
    cause<Cause::log_space>("The log had to be checkpointed.", "the log was full"),
    cause<Cause::no_space>("An allocation found no free block and was tried again after a commit.",
                           "an allocation found no space"),
    cause<Cause::administration>(
        "Resize, freeze, remount, unmount, moved extents, a changed journal flag.",
        "resize, freeze, remount and the like"),
};
static_assert(std::size(kCausesTable) == kCauses);

template <auto Member>
constexpr Counter call(std::string_view name, std::string_view documentation,
                       std::string_view label = "", std::string_view remark = "") {
  return {.name = name,
          .unit = "calls",
          .documentation = documentation,
          .value = at_call<Member>(),
          .counted_by = kModel,
          .label = label,
          .remark = remark};
}

constexpr Counter kSyncCalls[] = {
    call<&SyncCalls::fsync>("fsync", "fsync."),
    call<&SyncCalls::fdatasync>("fdatasync", "fdatasync."),
    call<&SyncCalls::msync>("msync", "msync with MS_SYNC."),
    call<&SyncCalls::sync_write>("sync_write", "Writes that are also an fsync: O_SYNC, RWF_SYNC.",
                                 "sync write", "O_SYNC and RWF_SYNC"),
    call<&SyncCalls::dsync_write>("dsync_write",
                                  "Writes that are also an fdatasync: O_DSYNC, RWF_DSYNC.",
                                  "dsync write", "O_DSYNC and RWF_DSYNC"),
    call<&SyncCalls::syncfs>("syncfs", "syncfs."),
    call<&SyncCalls::sync>("sync", "sync."),
    call<&SyncCalls::sync_file_range>("sync_file_range", "sync_file_range, which commits nothing.",
                                      "", "commits nothing"),
};

constexpr Counter kFastCommit[] = {
    {.name = "skipped",
     .unit = "calls",
     .documentation = "Calls of `ext4_fc_commit` that found their transaction committed already "
                      "(EXT4_FC_STATUS_SKIPPED).",
     .value = at<&Counters::skipped>(),
     .counted_by = kModel,
     .remark = "committed already"},
    {.name = "failed",
     .unit = "calls",
     .documentation =
         "Calls of `ext4_fc_commit` that ended in a full commit because the area had no room, or "
         "because no transaction was committed since the mount (EXT4_FC_STATUS_FAILED).",
     .value = at<&Counters::failed>(),
     .counted_by = kModel},
    {.name = "directory_fsyncs",
     .unit = "calls",
     .documentation = "fsyncs of directories and special files, which never reach "
                      "`ext4_fc_commit` on the kernels that do so.",
     .value = at<&Counters::directory_fsyncs>(),
     .counted_by = kModel},
};

constexpr Counter kTrace[] = {
    {.name = "operations",
     .unit = "operations",
     .documentation = "Operations on the traced file system that were replayed.",
     .value = at<&Counters::operations>(),
     .counted_by = kModel},
};

constexpr Counter kRangeTracking[] = {
    {.name = "inodes_read",
     .unit = "inodes",
     .documentation = "Inodes with ranges that fast commits read, each time anew.",
     .value = at_memory<&TrackerMemory::inodes>(),
     .counted_by = kModel,
     .combination = Combination::latest},
    {.name = "bytes",
     .unit = "bytes",
     .documentation = "Memory that the range trackers of all of them took.",
     .value = at_memory<&TrackerMemory::bytes>(),
     .counted_by = kModel,
     .combination = Combination::latest},
    {.name = "bytes_of_one_inode_at_most",
     .unit = "bytes",
     .documentation = "The largest of them.",
     .value = at_memory<&TrackerMemory::most>(),
     .counted_by = kModel,
     .combination = Combination::latest},
};

template <auto Member>
constexpr Counter xfs(std::string_view name, std::string_view unit, std::string_view documentation,
                      std::string_view remark = "") {
  return {.name = name,
          .unit = unit,
          .documentation = documentation,
          .value = at_xfs<Member>(),
          .counted_by = kKernel,
          .remark = remark};
}

// Trace events of these names (fs/xfs/xfs_trace.h).
constexpr Counter kXfs[] = {
    xfs<&XfsCounters::update_time>("update_time", "updates", "Timestamps updated.",
                                   "access times included"),
    xfs<&XfsLogCounters::log_reserve>("log_reserve", "transactions", "Log space reserved."),
    xfs<&XfsLogCounters::trans_commit>("trans_commit", "transactions", "Transactions committed.",
                                       "rolls included"),
    xfs<&XfsLogCounters::trans_roll>("trans_roll", "transactions", "Transactions rolled."),
    xfs<&XfsLogCounters::log_force>("log_force", "forces", "Forces of the log.",
                                    "two for each that names a sequence"),
    xfs<&XfsLogCounters::iclog_writes>("iclog_writes", "buffers", "Log buffers written."),
    xfs<&XfsLogCounters::iclog_syncs>("iclog_syncs", "buffers",
                                      "Log buffers handed over to be written."),
    xfs<&XfsLogCounters::log_blocks>("log_blocks", "blocks of 512 bytes",
                                     "Blocks of 512 bytes written to the log."),
};

template <CheckpointCause Which>
constexpr Counter checkpoint(std::string_view documentation, std::string_view remark) {
  return {.name = kCheckpointCauseNames[static_cast<std::size_t>(Which)],
          .unit = "log writes",
          .documentation = documentation,
          .value = at_checkpoint_cause<Which>(),
          .counted_by = kModel,
          .remark = remark};
}

constexpr Counter kCheckpointTable[] = {
    checkpoint<CheckpointCause::fsync>("fsync, fdatasync, msync or a synchronous write.",
                                       "fsync, fdatasync, msync or a synchronous write"),
    checkpoint<CheckpointCause::directory_fsync>("fsync of a directory.", "fsync of a directory"),
    checkpoint<CheckpointCause::sync>("sync or syncfs.", "sync or syncfs"),
    checkpoint<CheckpointCause::synchronous>("A change on a sync, dirsync or wsync mount.",
                                             "a change on a sync, dirsync or wsync mount"),
    checkpoint<CheckpointCause::log_worker>("The log worker.", "the log worker, every 30 seconds"),
    checkpoint<CheckpointCause::covering>("The log worker's dummy transaction.",
                                          "the log worker, to show that the log is empty"),
    checkpoint<CheckpointCause::background>("The changes in memory had reached their limit.",
                                            "the changes in memory had reached their limit"),
};
static_assert(std::size(kCheckpointTable) == kCheckpointCauses);

constexpr Counter kBlockDevice[] = {
    {.name = "log_writes",
     .unit = "writes",
     .documentation = "Writes with PREFLUSH or FUA.",
     .value = at_device<&BlockDeviceCounters::log_writes>(),
     .counted_by = kKernel,
     .label = "log writes",
     .remark = "with PREFLUSH or FUA"},
    {.name = "empty_flushes",
     .unit = "flushes",
     .documentation = "Flushes without data.",
     .value = at_device<&BlockDeviceCounters::empty_flushes>(),
     .counted_by = kKernel,
     .label = "empty flushes"},
    {.name = "device_flushes",
     .unit = "flushes",
     .documentation = "Flushes that reach the device.",
     .value = at_device<&BlockDeviceCounters::device_flushes>(),
     .counted_by = kKernel,
     .label = "flushes that reach the device"},
};

constexpr CounterGroup kGroups[] = {
    {.name = "fc_info",
     .documentation = "/proc/fs/ext4/DEV/fc_info (fs/ext4/fast_commit.c, `ext4_fc_info_show`).",
     .truth_prefix = "",
     .counters = kFastCommitInfo,
     .present = has_ext4},
    {.name = "fc_info.reasons",
     .documentation =
         "\"Ineligible reasons:\" of fc_info: how often each reason marked a transaction. The "
         "names are those of the kernel profile.",
     .truth_prefix = "reasons.",
     .named = &Counters::reasons,
     .named_unit = "marks",
     .present = has_ext4},
    {.name = "fc_info.snapshot",
     .documentation = "\"Snapshot stats:\" and \"Snapshot failures:\" of fc_info, on kernels that "
                      "copy inodes before they write the log.",
     .truth_prefix = "snapshot.",
     .counters = kSnapshot,
     .present = has_snapshot},
    {.name = "jbd2",
     .documentation = "/proc/fs/jbd2/DEV-8/info (fs/jbd2/journal.c, `jbd2_seq_info_show`).",
     .truth_prefix = "",
     .counters = kJbd2,
     .present = has_ext4},
    {.name = "causes",
     .documentation = "Why each full commit happened; the sum is `jbd2.transactions`.",
     .truth_prefix = "",
     .counters = kCausesTable,
     .present = has_ext4},
    {.name = "sync_calls",
     .documentation = "Calls that reached the traced file system.",
     .truth_prefix = "",
     .counters = kSyncCalls,
     .present = always},
    {.name = "fast_commit",
     .documentation = "What fc_info does not count.",
     .truth_prefix = "",
     .counters = kFastCommit,
     .present = has_ext4},
    {.name = "trace",
     .documentation = "The trace.",
     .truth_prefix = "",
     .counters = kTrace,
     .present = always},
    {.name = "range_tracking",
     .documentation = "What the range tracker of this configuration costs.",
     .truth_prefix = "",
     .counters = kRangeTracking,
     .present = has_ext4},
    {.name = "xfs",
     .documentation = "The XFS log, as its trace events count (fs/xfs/xfs_trace.h).",
     .truth_prefix = "",
     .counters = kXfs,
     .present = has_xfs},
    {.name = "xfs.causes",
     .documentation = "Why each checkpoint of the XFS log was written.",
     .truth_prefix = "",
     .counters = kCheckpointTable,
     .present = has_xfs},
    {.name = "block_device",
     .documentation = "What the block device was asked for.",
     .truth_prefix = "",
     .counters = kBlockDevice,
     .present = has_block_device},
    {.name = "sync_results",
     .documentation = "What each sync call led to: a write of the log, a flush alone, nothing.",
     .truth_prefix = "",
     .named = &Counters::sync_results,
     .named_unit = "calls",
     .present = has_block_device},
};

template <class Combine>
void combine_all(Counters& to, const Counters& from, const Combine& combine) {
  for (const CounterGroup& group : kGroups) {
    for (const Counter& counter : group.counters)
      if (counter.combination == Combination::sum)
        combine(counter.value.write(to), counter.value.read(from));
    if (group.named == nullptr) continue;
    NamedCounts& counts = to.*group.named;
    const NamedCounts& others = from.*group.named;
    for (const auto& [name, count] : others) {
      auto place = std::find_if(counts.begin(), counts.end(),
                                [&](const auto& entry) { return entry.first == name; });
      if (place == counts.end())  // what did not occur has no name in sync_results, which is sorted
        place = counts.insert(std::find_if(counts.begin(), counts.end(),
                                           [&](const auto& entry) { return entry.first > name; }),
                              {name, 0});
      combine(place->second, count);
    }
  }
}

}  // namespace

std::string CounterGroup::full_name(std::string_view counter) const {
  return std::string(name) + "." + std::string(counter);
}

std::span<const CounterGroup> counter_groups() {
  return kGroups;
}

const CounterGroup& counter_group(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kGroups), std::end(kGroups),
                   [&](const CounterGroup& group) { return group.name == name; });
  assert(found != std::end(kGroups));
  return *found;
}

std::vector<NamedCounter> named_counters(const Counters& counters) {
  std::vector<NamedCounter> named;
  for (const CounterGroup& group : kGroups) {
    if (!group.present(counters)) continue;
    for (const Counter& counter : group.counters)
      named.push_back(
          {std::string(group.name), std::string(counter.name), counter.value.read(counters)});
    if (group.named == nullptr) continue;
    for (const auto& [name, count] : counters.*group.named)
      named.push_back({std::string(group.name), name, count});
  }
  return named;
}

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const CounterGroup& group : kGroups)
    for (const Counter& counter : group.counters) names.push_back(group.full_name(counter.name));
  return names;
}

std::vector<KernelCounter> kernel_counters(const Counters& counters) {
  std::vector<KernelCounter> shown;
  for (const CounterGroup& group : kGroups) {
    if (!group.present(counters)) continue;
    const std::string prefix(group.truth_prefix);
    for (const Counter& counter : group.counters)
      if (counter.counted_by == CountedBy::kernel)
        shown.push_back({prefix + std::string(counter.name), counter.value.read(counters)});
    if (group.named == nullptr) continue;
    for (const auto& [name, count] : counters.*group.named)
      if (count != 0) shown.push_back({prefix + name, count});
  }
  return shown;
}

Counters difference(const Counters& later, const Counters& earlier) {
  Counters result = later;
  combine_all(result, earlier, [](std::uint64_t& to, std::uint64_t from) {
    assert(to >= from);
    to -= from;
  });
  return result;
}

Counters sum(const Counters& earlier, const Counters& later) {
  Counters result = later;
  combine_all(result, earlier, [](std::uint64_t& to, std::uint64_t from) { to += from; });
  return result;
}

std::uint64_t total_sync_calls(const Counters& counters) {
  std::uint64_t total = 0;
  for (const Counter& counter : kSyncCalls) total += counter.value.read(counters);
  return total;
}

std::string_view explanation(Cause cause) {
  return kCausesTable[static_cast<std::size_t>(cause)].remark;
}

}  // namespace fcsim::model
