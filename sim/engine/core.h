// The engine behind sim/engine.h, over any file system that it can ask.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sim/engine/engine.h"
#include "sim/engine/file_system.h"
#include "sim/engine/task.h"
#include "sim/engine/timing.h"

namespace fcsim::engine {

class EngineCore {
 public:
  // The configuration is kept as a copy.
  EngineCore(const model::Configuration& configuration, const model::InitialState& initial,
             EngineOptions options, std::unique_ptr<EngineFileSystem> file_system);

  void replay(const model::Operation& operation);
  Prediction finish(model::Time end);

  // ---- for engines that go along with another one (replay/lanes/) ----
  // Lets happen what happens by itself up to and including `until`.
  void run_until(model::Time until) {
    if (started_) advance(until);
  }
  // Nobody waits, nothing is under way.
  [[nodiscard]] bool quiet() const {
    return started_ && waiting_.empty() && io_ends_.empty() && !fast_commit_end_ &&
           !full_commit_end_;
  }
  // All calls that wait are `count` ones, and no call stands behind them.
  [[nodiscard]] bool waiting(std::size_t count) const;
  [[nodiscard]] bool io_under_way() const { return !io_ends_.empty(); }
  [[nodiscard]] model::Time now() const { return now_; }
  [[nodiscard]] const std::optional<model::Time>& flusher() const { return flusher_; }
  [[nodiscard]] bool buffers_dirty() const { return buffers_dirty_since_ != 0; }
  // A call waits, or stands behind one that did.
  [[nodiscard]] bool anything_left() const;
  // How long the fast commit that is being written takes, if that is learnt from.
  [[nodiscard]] std::optional<model::Time> timed_commit() const;
  // Fast commits that the other one timed meanwhile.
  void note_commits(std::span<const model::Time> times) {
    for (const model::Time ns : times) timing_.note_commit(ns);
  }
  // A while was passed over in which nothing happened but what happened to the other one too.
  void pass_over(model::Time now, const std::optional<model::Time>& flusher) {
    now_ = now;
    flusher_ = flusher;
  }

  // mounts.cpp
  Prediction read(model::Time at);
  void administer(model::OperationKind kind, model::Time at);
  Prediction unmount(model::Time at);
  void mount(const model::FilesystemSettings& on_disk, const model::MountSettings& options);
  void remount(const model::MountSettings& options);

 private:
  static constexpr model::Time kEverything = std::numeric_limits<model::Time>::max();
  struct Ready {
    model::Time time = 0;
    std::uint64_t order = 0;
    Task* task = nullptr;
    bool operator<(const Ready& other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };
  struct IoEnd {
    model::Time time = 0;
    std::uint64_t sequence = 0;  // ties end in the order they were started
    model::FileId file = 0;
  };

  // engine.cpp: time
  bool advance(model::Time until);  // false: stopped before, the file system was not ready
  void settle();  // after any action of the file system: new timers, commits, asynchronous I/O
  void before_first(model::Time start);
  Task& task_of(std::int32_t pid);
  void dispatch(Task& task, const model::Operation& operation);
  [[nodiscard]] bool handles_stopped_for(const model::Operation& operation) const;
  void run_queued(Task& task);
  void wake(Task& task);
  void end_io();
  void end_fast_commit();
  void end_full_commit();
  void fire_journal_timer();
  void fire_flusher();
  void arm_flusher();
  void schedule_io(model::FileId file, model::Time at);
  [[nodiscard]] model::Time commit_end(model::Tid tid) const;
  [[nodiscard]] model::Time wait_end(model::Time recorded_end, bool recorded,
                                     std::uint64_t blocks) const;
  [[nodiscard]] std::optional<model::Time> next_event() const;
  void fill_in(Prediction& prediction);  // the counters as they are
  void finish_everything();              // mounts.cpp
  [[nodiscard]] bool journal_timer_due(model::Time& at) const;

  // closed.cpp: Placement::closed
  void replay_closed(const model::Operation& operation);
  void run_closed(model::Time recorded_until);
  model::Time settled_by(model::Time recorded);
  [[nodiscard]] bool is_held(const Task& newborn) const;
  void admit_newborn();
  void begin_call(model::Time at);
  void end_call(Task& task);
  void offer_next(Task& task);
  [[nodiscard]] model::Time safe_until(model::Time recorded_until) const;
  [[nodiscard]] bool closed() const { return options_.placement == Placement::closed; }

  // sync_calls.cpp: calls that wait
  void begin_sync(Task& task, bool datasync, std::uint64_t first, std::uint64_t end);
  void begin_sync_write(Task& task, const model::Operation& operation);
  void begin_sync_fallocate(Task& task, const model::Operation& operation);
  void begin_msync(Task& task);
  void begin_sync_file_range(Task& task);
  void begin_sync_all(Task& task);
  void begin_reclaim(const model::Operation& operation);
  void after_data(Task& task);
  void ask_fast_commit(Task& task);
  [[nodiscard]] bool returned_before_commit(const Task& task);
  void take_over_commit(Task& task);
  void note_attempt(const Task& task, model::Outcome outcome);
  void complete_transaction(Task& task, model::Cause cause);
  void force_commit(Task& task, model::Cause cause);
  void commit_everything(Task& task);
  void wait_for(Task& task, model::Tid tid);
  void count_call(const model::Operation& operation);
  [[nodiscard]] model::Origin origin_of(const Task& task) const;

  model::Configuration configuration_;
  EngineOptions options_;
  std::unique_ptr<EngineFileSystem> fs_;
  Timing timing_;
  bool listed_;  // somebody wrote a manifest
  std::vector<model::FileId> initial_directories_;

  model::Time now_ = 0;
  bool started_ = false;
  std::map<std::int32_t, Task> tasks_;
  Task* last_task_ = nullptr;
  std::int32_t last_pid_ = 0;
  std::vector<Task*> waiting_;  // in the order they began to wait

  std::set<Ready> ready_;            // Placement::closed: tasks with a next call and its time
  std::deque<Task*> newborn_;        // tasks that have not begun their first call
  std::multiset<model::Time> idle_;  // offsets of tasks that wait for the trace to go on
  model::Time newest_offset_ = 0;    // of the task that went on last: a new one's

  std::vector<IoEnd> io_ends_;  // a heap, earliest first
  std::uint64_t sequence_ = 0;
  std::optional<model::Time> fast_commit_end_;
  Task* fast_committer_ = nullptr;
  std::optional<model::Time> full_commit_end_;
  model::Tid known_committing_ = 0;
  std::optional<model::Time> flusher_;
  model::Time buffers_dirty_since_ = 0;  // metadata written back by the flusher as well

  Prediction result_;
};

}  // namespace fcsim::engine
