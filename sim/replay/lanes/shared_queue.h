// The fast-commit queue that quiet lanes of one kernel share: what was tracked since all of them
// committed last, and the log that the next fast commit would write of it.
#pragma once

#include "model/ext4/filesystem.h"
#include "sim/replay/lanes/tracked_inodes.h"

namespace fcsim::replay::lanes {

class SharedQueue final : private model::fast_commit::InodeSource {
 public:
  SharedQueue(const model::Configuration& configuration, const model::ext4::FileSystem& leader)
      : leader_(leader),
        kernel_(configuration.kernel),
        clock_(configuration.clock),
        journal_(leader.geometry(), clock_, kernel_, configuration.mount),
        fast_commit_(leader.geometry(), kernel_, journal_, *this) {
    journal_.start_handle(0, 0, {});  // a transaction that never ends: queues ask for one
  }
  SharedQueue(const SharedQueue&) = delete;
  SharedQueue& operator=(const SharedQueue&) = delete;

  [[nodiscard]] bool serves(const model::KernelRules& kernel) const {
    return kernel_.range_tracking == kernel.range_tracking && kernel_.snapshot == kernel.snapshot;
  }

  void clear() {
    fast_commit_.discard_queues();
    inodes_.clear();
  }

  void play(const model::jbd2::JournalEvent& event) { play_tracking(event, fast_commit_, inodes_); }

  // As the leader's files are now. Consumes the queue.
  [[nodiscard]] model::fast_commit::FastCommit::Draft draft() { return fast_commit_.draft(); }

 private:
  [[nodiscard]] model::fast_commit::TrackedInode& tracked(model::FileId file) override {
    return inodes_.get(file);
  }
  [[nodiscard]] std::uint32_t raw_inode_bytes(model::FileId file) const override {
    return leader_.raw_inode_bytes(file);
  }
  model::fast_commit::RangeWalk walk_ranges(
      model::FileId file, model::fast_commit::RangeRecords& records) const override {
    return leader_.walk_ranges(file, inodes_.get(file).ranges, kernel_.snapshot, records);
  }

  const model::ext4::FileSystem& leader_;
  const model::KernelRules kernel_;
  const model::Clock clock_;
  model::jbd2::Journal journal_;
  model::fast_commit::FastCommit fast_commit_;
  mutable TrackedInodes inodes_;
};

}  // namespace fcsim::replay::lanes
