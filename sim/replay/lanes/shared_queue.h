// The fast-commit queue that quiet lanes of one kernel share: what was tracked since all of them
// committed last, and the log that the next fast commit would write of it.
#pragma once

#include "model/filesystem.h"
#include "sim/replay/lanes/tracked_inodes.h"

namespace fcsim::sim {

class SharedQueue final : private model::InodeSource {
 public:
  SharedQueue(const model::Configuration& configuration, const model::FileSystem& leader)
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

  void play(const model::JournalEvent& event) { play_tracking(event, fast_commit_, inodes_); }

  // As the leader's files are now. Consumes the queue.
  [[nodiscard]] model::FastCommit::Draft draft() { return fast_commit_.draft(); }

 private:
  [[nodiscard]] model::TrackedInode& tracked(model::FileId file) override {
    return inodes_.get(file);
  }
  [[nodiscard]] std::uint32_t raw_inode_bytes(model::FileId file) const override {
    return leader_.raw_inode_bytes(file);
  }
  model::RangeWalk walk_ranges(model::FileId file, model::RangeRecords& records) const override {
    return leader_.walk_ranges(file, inodes_.get(file).ranges, kernel_.snapshot, records);
  }

  const model::FileSystem& leader_;
  const model::KernelRules kernel_;
  const model::Clock clock_;
  model::Journal journal_;
  model::FastCommit fast_commit_;
  mutable TrackedInodes inodes_;
};

}  // namespace fcsim::sim
