// The discrete-event engine: places operations, timers, I/O and writes to the log in virtual time.
//
// Operations come in order of their start. A process that waits (for its data, a write to the log,
// a sequence) takes up its next operation when it is woken, never before the recorded start.
// Nothing here depends on anything but the operations and the configuration: same input, same
// result. What a call does, and what it waits for, is the file system's (model/file_system.h).
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/common/clock.h"
#include "model/common/configuration.h"
#include "model/common/operation.h"
#include "model/file_system.h"
#include "sim/engine/placement.h"
#include "sim/engine/prediction.h"
#include "sim/engine/task.h"
#include "sim/engine/timing.h"

namespace fcsim::engine {

struct EngineOptions {
  Placement placement = Placement::recorded;
  model::FileSystemObserver* observer = nullptr;  // outlives the engine
  // One wake-up of the flusher; the others are whole periods away. nullopt: the first is a period
  // after the first dirtying.
  std::optional<model::Time> flusher_wakeup = {};
  bool keep_commits = false;  // fill the prediction's lists of commits
  // When the directories of the initial state were read to list it. Taken where it lies before the
  // first operation, by a year at most; else the reads are placed shortly before that.
  std::optional<model::Time> listed_at = {};
  // The directories whose access times those reads moved, sorted; nullopt: all.
  std::optional<std::vector<model::FileId>> listing_moved = {};
};

class Engine {
 public:
  // `initial` is what the file system was made with.
  Engine(const model::Configuration& configuration, const model::InitialState& initial,
         EngineOptions options, std::unique_ptr<model::FileSystem> file_system);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void replay(const model::Operation& operation);
  // Lets timers and commits run until `end_of_observation`, when the counters are read.
  Prediction finish(model::Time end_of_observation);
  // After that: whether the whole run would have been the same under another setting. `counters`,
  // a copy of the answer's, then become that setting's.
  [[nodiscard]] bool holds_for(const model::Configuration& setting,
                               model::Counters& counters) const {
    return fs_->holds_for(setting, now_, counters);
  }

  // ---- an administrator's steps, between calls (mounts.cpp) ----
  // What /proc shows at `at`, since the mount.
  [[nodiscard]] Prediction read(model::Time at);
  // sync, remount (read-only), drop_caches at `at` or later; returns when the call is over.
  void administer(model::OperationKind kind, model::Time at);
  // Syncs, waits for everything and forgets what lived in memory; the answer is the last that the
  // mount's counters said. Then only mount() may follow. `at` is raised to the last time seen.
  Prediction unmount(model::Time at);
  // Throws std::invalid_argument where the kernel refuses; the file system then stays unmounted.
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
  struct Moment {  // for which a call waits
    model::Time time = 0;
    std::uint64_t sequence = 0;
    Task* task = nullptr;
  };
  struct WriteEnd {  // of a write to the log
    model::LogWrite write;
    model::Time time = 0;
    Task* writer = nullptr;  // the call that writes it itself
  };
  // The prediction's lists of commits.
  class CommitLists final : public model::JournalObserver {
   public:
    explicit CommitLists(Prediction& prediction) : prediction_(prediction) {}
    void on_commit(model::FullCommitRecord& record) override {
      prediction_.full_commits.push_back(record);
    }
    void on_fast_commit(const model::FastCommitRecord& record) override {
      prediction_.fast_commits.push_back(record);
    }

   private:
    Prediction& prediction_;
  };

  // engine.cpp: calls
  void before_first(model::Time start);
  Task& task_of(std::int32_t pid);
  [[nodiscard]] bool shown_unstopped(const model::Operation& operation) const;
  void dispatch(Task& task, const model::Operation& operation);
  void go_on(Task& task, model::Wait wait);
  void run_queued(Task& task);
  void stop(Task& task);
  void begin_again(Task& task);
  void wake(Task& task);
  // Whether the call is one of those that model::SyncCalls counts.
  bool count_call(const model::Operation& operation);
  // latency: how long the counted calls take (measure.cpp)
  void begin_measuring(Task& task);
  void measure_wait(Task& task);
  void end_measuring(Task& task);

  // engine.cpp: time
  void advance(model::Time until);
  // After any action of the file system: I/O and writes to the log that it started. `caller`: on
  // whose behalf.
  void settle(const Task* caller = nullptr);
  void schedule_io(const model::StartedIo& io, const Task* caller);
  void note_log_writes(const Task* caller);
  [[nodiscard]] model::Time end_of(const model::LogWrite& write, const Task* writer) const;
  [[nodiscard]] bool made_write(Task& task);
  [[nodiscard]] bool returned_before(Task& task, const Task& writer);
  void take_over_write(Task& task);
  WriteEnd* callers_write();
  void end_io();
  void end_write();
  void end_moment();
  void retry_stopped();
  void wait_until(Task& task, model::Time moment);
  void expect_commit(const Task& task);
  void wake_daemon();
  void fire_flusher();
  void arm_flusher();
  [[nodiscard]] std::optional<model::Time> next_event() const;
  [[nodiscard]] const WriteEnd* next_write() const;
  void fill_in(Prediction& prediction);  // the counters as they are
  void finish_everything();              // mounts.cpp

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

  model::Configuration configuration_;
  EngineOptions options_;
  Prediction result_;
  CommitLists lists_{result_};
  std::unique_ptr<model::FileSystem> fs_;
  const model::Clock clock_;
  Timing timing_;
  bool listed_;  // the initial state was read from directories
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
  std::vector<WriteEnd> writes_;  // in the order in which they began
  std::vector<Moment> moments_;   // a heap, earliest first
  // When the commit daemon wakes; it sleeps where the trace told of that.
  std::optional<model::Time> daemon_wakes_;
  std::optional<model::Time> flusher_;
};

}  // namespace fcsim::engine
