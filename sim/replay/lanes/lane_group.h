// Many settings for little more than one.
//
// Settings that differ only in the size of the fast-commit area, the commit interval, or how
// changed ranges are remembered and copied do the same to files: which blocks a call allocates,
// which metadata it dirties, in how many handles. Only what the journal makes of that differs. So
// one engine, the leader, replays the trace with a file system that writes down what it asks of the
// journal, and every setting is a lane: an ordinary engine whose file system plays that back into a
// journal of its own (lane_file_system.h). A lane's answer is that of a run of its own or none: the
// first time that it would do anything to a file that the leader did not do, at another time or in
// another order, it is out, and its setting must be replayed alone.
//
// The leader is nobody's setting. Its fast commits always succeed and nothing closes its
// transactions but calls that do so everywhere, so that it keeps to the times of the trace and most
// lanes can follow.
//
// A lane is awake or quiet. An awake one replays every call right behind the leader. Most of the
// time nothing distinguishes lanes but a few sums: between two sync calls of a process that is
// alone, each adds the same handles and the same blocks to its transaction, and each then writes
// the same fast commit. A quiet lane is passed over then: at the end of the sync call a handful of
// comparisons tell whether its transaction would have grown too old or too large meanwhile, whether
// its area holds the fast commit, and the sums are added. Where they tell otherwise the lane is
// woken and replays the calls since the last sync, which are kept that long. What lanes share, the
// queue of the next fast commit, is kept once for all lanes of a kernel (shared_queue.h).
//
// When blocks that were freed can be allocated again depends on when a lane commits. The leader
// holds them back until all lanes have them on disk, and asks at each search for free blocks
// whether they would change what is found. If so it does as most lanes would; those that would not
// are out.
//
// Sizes of the area that come with a larger journal (mke2fs makes the area in addition to the log)
// leave other blocks free. They matter from the moment when the allocator looks into a group in
// which the journals end at different blocks, or counts free blocks: then those lanes are out.
//
// Where several processes sync side by side lanes hardly ever rest, and each replays every call as
// an engine of its own would, only further apart in memory: then all are out.
//
// A group belongs to one thread; several groups share nothing.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/core.h"
#include "sim/engine/engine.h"
#include "sim/engine/prediction.h"
#include "sim/replay/lanes/lane_file_system.h"
#include "sim/replay/lanes/lane_statistics.h"
#include "sim/replay/lanes/recorded_file_system.h"
#include "sim/replay/lanes/shared_queue.h"

namespace fcsim::replay::lanes {

class LaneGroup final : private LeaderWatcher, private model::jbd2::FreedBlocksVote {
 public:
  // All configurations share, and outlive the group. Lists of commits are not kept. Throws
  // std::invalid_argument where one describes no mountable file system.
  LaneGroup(const std::vector<const model::Configuration*>& configurations,
            const model::InitialState& initial, const engine::EngineOptions& options);
  ~LaneGroup() override;

  void replay(const model::Operation& operation);
  // One for each configuration; none for those that must be replayed alone.
  std::vector<std::optional<engine::Prediction>> finish(model::Time end);
  [[nodiscard]] const LaneStatistics& statistics() const { return statistics_; }
  // Nobody follows any more.
  [[nodiscard]] bool deserted() const { return quiet_.empty() && awake_.empty(); }

 private:
  struct Lane {
    std::unique_ptr<engine::EngineCore> engine;  // none once it is out
    LaneFileSystem* fs = nullptr;                // the engine's
    std::size_t operations_done = 0;             // of operations_
  };

  // What tells about a quiet lane, together in memory.
  struct Quiet {
    std::uint32_t lane = 0;
    std::uint32_t queue = 0;  // of queues_
    model::Tid since = 0;     // the running transaction's first stamp
    bool head_written = false;
    std::uint32_t usable = 0;  // blocks of the area
    std::uint32_t used = 0;
    model::Time old_at = 0;
    std::int64_t headroom = 0;
    std::int64_t half = 0;  // most credits that may be reserved
    std::uint32_t handles = 0;
    std::size_t timed = 0;  // how many of timed_ it has noted, or did not make
    model::fast_commit::FastCommit::PassedOver passed;
  };

  // LeaderWatcher
  void before_call(model::Time now) override;
  void before_operation(model::Time now) override;
  void before_attempt(model::Tid stamp) override;
  void before_fast_commit_ends(model::Time now) override;
  void before_flusher(model::Time now) override;
  // FreedBlocksVote
  [[nodiscard]] Result on_disk(const std::vector<model::Tid>& waiting) override;

  // Does `step` with the lane's engine; the lane is out if it diverges.
  template <class Step>
  void guard(std::size_t lane, const Step& step);
  void let_out(std::size_t lane, Divergence why);
  void run_awake_until(model::Time until);
  void deliver(std::size_t lane, std::size_t end);
  void deliver_all(std::size_t end);
  void drop_lost();
  void give_up_if_useless();
  [[nodiscard]] std::size_t complete() const { return begun_ - (beginning_ ? 1 : 0); }

  void wake(Quiet& quiet);
  void wake_all();
  void wake_for_commits();
  [[nodiscard]] bool simple_sync() const;
  void draft_all();
  [[nodiscard]] bool pass_over(Quiet& quiet, model::Time end, std::int64_t credits);
  void note_timed(Quiet& quiet);
  void keep_timed(const std::optional<model::Time>& timed);
  void begin_interval();
  [[nodiscard]] bool is_fresh() const;
  void tidy_up();
  void shorten_log();
  void put_to_rest();
  [[nodiscard]] bool rests(Lane& lane);
  [[nodiscard]] std::uint64_t leader_commits() const;
  void find_unequal_journals(const std::vector<const model::Configuration*>& configurations);
  void check_allocator();

  CallLog log_;
  WalkMemory walks_;
  RecordedFileSystem* leader_fs_ = nullptr;  // the leader's
  std::unique_ptr<engine::EngineCore> leader_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> queue_of_;
  std::vector<std::unique_ptr<SharedQueue>> queues_;
  std::vector<model::fast_commit::FastCommit::Draft> drafts_;
  std::vector<Quiet> quiet_;
  std::vector<std::uint32_t> awake_;
  bool lost_any_ = false;  // a lane of awake_ is out
  // Calls so far, and of the lanes that there were at each, how many were awake.
  std::uint64_t calls_seen_ = 0, turns_ = 0, awake_turns_ = 0;

  std::vector<model::Operation> operations_;  // since the log begins
  std::size_t begun_ = 0;                     // of them, by the leader
  bool beginning_ = false;                    // the last of these is not done with all its calls

  // How long fast commits took that quiet lanes made with the leader: what their engines will have
  // learnt from.
  std::vector<model::Time> timed_;

  // Where quiet lanes stand.
  std::size_t call_ = 0, event_ = 0, operation_ = 0;
  model::Time now_ = 0;
  std::optional<model::Time> flusher_;
  bool any_dirty_ = false;

  bool asked_ = false;  // a sync call has asked for a fast commit since
  model::Tid stamp_ = 0;
  std::uint64_t commits_ = 0;  // of the leader, full ones, begun or done
  // Lanes whose journal takes other blocks than the leader's, and the groups where they lie.
  std::vector<std::uint32_t> unequal_;
  std::vector<std::uint32_t> unequal_groups_;
  std::uint64_t counted_ = 0;  // how often the leader's allocator has counted free blocks
  LaneStatistics statistics_;
};

}  // namespace fcsim::replay::lanes
