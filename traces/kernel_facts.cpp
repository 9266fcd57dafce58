#include "traces/kernel_facts.h"

#include <algorithm>
#include <array>

namespace fcsim::traces {
namespace {

using enum FactMember;

constexpr FactField kInode{"ino", argument};
constexpr FactField kTransaction{"tid", transaction};
constexpr FactField kFile{"path", fd_path};

constexpr std::array kSyncEnter = {kInode, FactField{"datasync", flags}, kFile};
constexpr std::array kSyncExit = {kInode, FactField{"ret", result}};
constexpr std::array kSyncFs = {FactField{"wait", flags}};
constexpr std::array kCommit = {kTransaction};
constexpr std::array kFastStop = {kTransaction, FactField{"nblks", length},
                                  FactField{"reason", result}};
constexpr std::array kStatistics = {kTransaction, FactField{"handle_count", argument},
                                    FactField{"blocks", length},
                                    FactField{"blocks_logged", offset}};
constexpr std::array kHandle = {kTransaction, FactField{"type", argument},
                                FactField{"requested_blocks", length}};
// `lblk`, `len` and `block` count blocks.
constexpr std::array kAllocation = {kInode, FactField{"lblk", offset}, FactField{"len", length},
                                    FactField{"block", result}, FactField{"flags", flags}};
// `pos`, `len` and `size`, the file's, count bytes.
constexpr std::array kDirty = {kInode, FactField{"pos", offset}, FactField{"len", length},
                               FactField{"size", result}, kFile};
constexpr std::array kLost = {FactField{"count", length}};

constexpr std::array kKinds = {
    FactKind{Call::ext4_sync_file_enter, "ext4_sync_file_enter", kSyncEnter},
    FactKind{Call::ext4_sync_file_exit, "ext4_sync_file_exit", kSyncExit},
    FactKind{Call::ext4_sync_fs, "ext4_sync_fs", kSyncFs},
    FactKind{Call::ext4_fc_commit_start, "ext4_fc_commit_start", kCommit},
    FactKind{Call::ext4_fc_commit_stop, "ext4_fc_commit_stop", kFastStop},
    FactKind{Call::jbd2_start_commit, "jbd2_start_commit", kCommit},
    FactKind{Call::jbd2_commit_locking, "jbd2_commit_locking", kCommit},
    FactKind{Call::jbd2_commit_flushing, "jbd2_commit_flushing", kCommit},
    FactKind{Call::jbd2_commit_logging, "jbd2_commit_logging", kCommit},
    FactKind{Call::jbd2_end_commit, "jbd2_end_commit", kCommit},
    FactKind{Call::jbd2_run_stats, "jbd2_run_stats", kStatistics},
    FactKind{Call::jbd2_handle_start, "jbd2_handle_start", kHandle},
    FactKind{Call::ext4_allocate_blocks, "ext4_allocate_blocks", kAllocation},
    FactKind{Call::writeback_dirty_folio, "writeback_dirty_folio", kDirty},
    FactKind{Call::events_lost, "events_lost", kLost},
};

}  // namespace

std::span<const FactKind> fact_kinds() {
  return kKinds;
}

const FactKind* fact_kind(Call call) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [call](const FactKind& kind) { return kind.call == call; });
  return found == kKinds.end() ? nullptr : &*found;
}

const FactKind* fact_kind(std::string_view name) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [name](const FactKind& kind) { return kind.name == name; });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace fcsim::traces
