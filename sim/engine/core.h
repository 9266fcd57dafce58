// The engine itself, over a file system of one of three kinds: one of its own (DirectFileSystem), one
// that writes down what it does, or one that plays back what was written down (sim/replay/lanes/).
// events.h and sync_calls.h hold the members' definitions; a source that includes them instantiates
// the kind it needs.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engine.h"
#include "sim/engine/task.h"
#include "sim/engine/timing.h"

namespace fcsim::sim {

// A file system of the engine's own: the model as it is, without anybody who looks on.
class DirectFileSystem final : public model::FileSystem {
 public:
  using FileSystem::FileSystem;
  // Whether no call may wait longer for a commit than the trace shows.
  static constexpr bool kKeepsToTrace = false;
  // The I/O of a file ends, if any is in flight.
  void end_io(model::FileId file, model::Time now) {
    if (known(file) && io_in_flight(file)) complete_io(file, now);
  }
  [[nodiscard]] bool has_pending(model::FileId file) const {
    return known(file) && !inode(file).pending.empty();
  }
  // Whether what is to be done next can be done now.
  [[nodiscard]] static constexpr bool ready() { return true; }
  // Called before an operation is begun at `now`, before a fast commit ends, before the flusher runs.
  static void operation_begins(model::Time) {}
  static void fast_commit_ends(model::Time) {}
  static void flusher_runs(model::Time) {}
};

template <class Fs>
class EngineCore {
  using Attempt = model::Attempt;
  using Cause = model::Cause;
  using FileId = model::FileId;
  using Operation = model::Operation;
  using OperationKind = model::OperationKind;
  using Tid = model::Tid;
  using Time = model::Time;

 public:
  // `others` go to the file system's constructor.
  template <class... Others>
  EngineCore(const model::Configuration& configuration, const model::InitialState& initial,
             EngineOptions options, Others&&... others)
      : configuration_(configuration),
        options_(options),
        fs_(configuration_, initial, std::forward<Others>(others)...),
        timing_(configuration_.device),
        initial_known_(initial.known) {
    for (const model::InitialFile& file : initial.files)
      if (file.type == model::FileType::directory) initial_directories_.push_back(file.file);
  }

  void replay(const model::Operation& operation);
  Prediction finish(model::Time end);

  // ---- for engines that go along with another one ----
  [[nodiscard]] Fs& fs() { return fs_; }
  // Lets happen what happens by itself up to and including `until`.
  void run_until(model::Time until) {
    if (started_) advance(until);
  }
  // Nobody waits, nothing is under way.
  [[nodiscard]] bool quiet() const {
    return started_ && waiting_.empty() && io_ends_.empty() && !fast_commit_end_ && !full_commit_end_;
  }
  // All calls that wait are `count` ones, and no call stands behind them.
  [[nodiscard]] bool waiting(std::size_t count) const {
    return waiting_.size() == count &&
           std::all_of(waiting_.begin(), waiting_.end(), [](const Task* task) { return task->queued.empty(); });
  }
  [[nodiscard]] bool io_under_way() const { return !io_ends_.empty(); }
  [[nodiscard]] model::Time now() const { return now_; }
  [[nodiscard]] const std::optional<model::Time>& flusher() const { return flusher_; }
  [[nodiscard]] bool buffers_dirty() const { return buffers_dirty_since_ != 0; }
  // A while was passed over in which nothing happened but what happened to the other one too.
  void pass_over(model::Time now, const std::optional<model::Time>& flusher) {
    now_ = now;
    flusher_ = flusher;
  }
  [[nodiscard]] bool anything_queued() const {
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [](const auto& task) { return !task.second.queued.empty(); });
  }

 private:
  struct IoEnd {
    model::Time time = 0;
    std::uint64_t sequence = 0;  // ties end in the order they were started
    model::FileId file = 0;
  };

  // engine.cpp: time
  void advance(model::Time until);
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
  [[nodiscard]] model::Time wait_end(model::Time recorded_end, bool recorded) const;
  [[nodiscard]] std::optional<model::Time> next_event() const;
  [[nodiscard]] bool journal_timer_due(model::Time& at) const;

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
  void note_attempt(const Task& task, model::Outcome outcome);
  void complete_transaction(Task& task, model::Cause cause);
  void force_commit(Task& task, model::Cause cause);
  void commit_everything(Task& task);
  void wait_for(Task& task, model::Tid tid);
  void count_call(const model::Operation& operation);
  [[nodiscard]] model::Origin origin_of(const Task& task) const;

  model::Configuration configuration_;
  EngineOptions options_;
  Fs fs_;
  Timing timing_;
  bool initial_known_;
  std::vector<model::FileId> initial_directories_;

  model::Time now_ = 0;
  bool started_ = false;
  std::map<std::int32_t, Task> tasks_;
  Task* last_task_ = nullptr;
  std::int32_t last_pid_ = 0;
  std::vector<Task*> waiting_;  // in the order they began to wait

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

}  // namespace fcsim::sim
