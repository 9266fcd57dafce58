#include "sim/engine/engine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>

namespace fcsim::engine {

using model::FileId;
using model::Operation;
using model::OperationKind;
using model::Time;
using model::Wait;

namespace {

constexpr Time kLongestLead = Time{365} * 86400 * 1'000'000'000;

// The calls that are told apart by what they led to, in the order of their names.
constexpr std::array<std::pair<OperationKind, std::string_view>, 6> kSyncCalls = {
    {{OperationKind::fdatasync, "fdatasync"},
     {OperationKind::fsync, "fsync"},
     {OperationKind::msync, "msync"},
     {OperationKind::sync, "sync"},
     {OperationKind::sync_file_range, "sync_file_range"},
     {OperationKind::syncfs, "syncfs"}}};
// In the order of their names, too; of SyncResult's values.
constexpr std::array<std::pair<model::SyncResult, std::string_view>, model::kSyncResults>
    kSyncResultNames = {{{model::SyncResult::flush_only, ":flush_only"},
                         {model::SyncResult::log_write, ":log_write"},
                         {model::SyncResult::nothing, ":nothing"}}};

bool later(const auto& a, const auto& b) {
  return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
}

}  // namespace

Engine::Engine(const model::Configuration& configuration, const model::InitialState& initial,
               EngineOptions options, std::unique_ptr<model::FileSystem> file_system)
    : configuration_(configuration),
      options_(std::move(options)),
      fs_(std::move(file_system)),
      clock_(configuration.clock),
      timing_(configuration_, options_.placement),
      listed_(initial.known && !initial.source.empty()) {
  result_.latency.predicted = closed();
  for (const model::InitialFile& file : initial.files)
    if (file.type == model::FileType::directory) initial_directories_.push_back(file.file);
  if (options_.observer != nullptr) fs_->observe(*options_.observer);
  if (options_.keep_commits) fs_->add_observer(lists_);
}

// ---- calls ----------------------------------------------------------------------------------

Task& Engine::task_of(std::int32_t pid) {
  if (last_task_ == nullptr || last_pid_ != pid) {
    last_task_ = &tasks_.try_emplace(pid, timing_).first->second;
    last_pid_ = pid;
  }
  return *last_task_;
}

void Engine::replay(const Operation& operation) {
  if (!started_) before_first(operation.start);
  if (closed()) return replay_closed(operation);
  const Time effect = timing_.effect(operation);
  advance(effect);
  if (operation.kind == OperationKind::end_of_trace) return;
  ++result_.operations;
  Task& task = task_of(operation.pid);
  if (!task.idle()) {
    task.queued.push_back(operation);
    return;
  }
  now_ = std::max(now_, effect);
  dispatch(task, operation);
}

// A bundle's manifest is taken by reading every directory shortly before the trace starts; those
// reads move directories' atimes, which opens the transaction that the trace continues.
void Engine::before_first(Time start) {
  started_ = true;
  now_ = mount_before(start);
  if (const auto listed = options_.listed_at;
      listed && *listed <= start && start - *listed <= kLongestLead)
    now_ = *listed;
  if (!listed_) return;
  for (const FileId directory : initial_directories_) {
    const auto& moved = options_.listing_moved;
    if (moved && !std::binary_search(moved->begin(), moved->end(), directory)) {
      fs_->assume_read(directory, now_);
      continue;
    }
    Operation read;
    read.kind = OperationKind::read;
    read.file = directory;
    read.start = read.end = now_;
    fs_->apply(read, now_);
  }
  settle();
}

// The trace shows that the call changed nothing that a journal would hear of, or that it was let
// in.
bool Engine::shown_unstopped(const Operation& operation) const {
  if (closed() || operation.cpu < 0) return false;
  return operation.kernel.transaction == 0 || operation.kernel.allocated == now_;
}

// When the files were listed, where nothing says it. The mount is what first dirties the device
// (its superblock), and the flusher's first wake-up follows it by the interval, rounded up by the
// timer wheel. All later ones are whole periods away. So one wake-up tells the mount to the wheel's
// granularity: the last such stretch of time that begins before `start`. The directories were read
// in it, shortly before `start` where that fits.
Time Engine::mount_before(Time start) const {
  const Time usual =
      options_.listing_guess.value_or(start - configuration_.timing.manifest_lead_us * 1000);
  if (!options_.flusher_wakeup) return usual;
  const std::int64_t interval =
      clock_.jiffies_of_centisecs(configuration_.writeback.dirty_writeback_centisecs);
  if (interval == 0) return usual;
  const std::int64_t wakeup = clock_.wheel(0, interval);  // some one
  const std::int64_t next = clock_.wheel(wakeup, wakeup + interval);
  const std::int64_t granularity = clock_.wheel(next - interval, next) - next;
  const Time period = time_between(wakeup, next);
  const Time length = time_between(0, granularity);  // of one such stretch
  const Time first = *options_.flusher_wakeup - time_between(0, interval) - length;
  const Time whole = (start - first) / period - ((start - first) % period < 0 ? 1 : 0);
  const Time begin = first + whole * period;
  if (usual < begin) return std::min(begin, start);
  return usual <= begin + length ? usual : begin + length / 2;
}

void Engine::dispatch(Task& task, const Operation& operation) {
  task.operation = operation;
  if (!closed() && operation.kernel.allocated > now_) {
    stop(task);
    return wait_until(task, operation.kernel.allocated);
  }
  if (!shown_unstopped(operation) && fs_->stopped(operation)) return stop(task);
  if (count_call(operation)) begin_measuring(task);
  if (operation.cpu >= 0) fs_->run_on(operation.cpu);
  if (fs_->waits(operation)) {
    expect_commit(task);
    if (!task.call) task.call = fs_->make_sync_call();
    go_on(task, task.call->begin(task.operation, now_, task));
    return;
  }
  fs_->apply(operation, now_);
  // The call is among those that wait for its synchronous handle's commit when that begins.
  if (const model::Sequence sequence = fs_->take_wait(); sequence != 0) {
    task.call.reset();
    task.wait = {Wait::For::durable, model::kNoFile, sequence};
    waiting_.push_back(&task);
  } else {
    end_measuring(task);
  }
  settle();
}

// The call waits for `wait`, or goes on for as long as no time passes.
void Engine::go_on(Task& task, Wait wait) {
  for (;; wait = task.call ? task.call->next(now_) : Wait{}) {
    measure_wait(task);
    task.wait = wait;
    const bool over = wait.what == Wait::For::nothing;
    if (!over && std::find(waiting_.begin(), waiting_.end(), &task) == waiting_.end())
      waiting_.push_back(&task);
    settle(&task);
    switch (wait.what) {
      case Wait::For::nothing:
        count_result(task);
        wake(task);
        return;
      case Wait::For::again:
        break;
      case Wait::For::all_data:
        if (!io_ends_.empty()) return;
        break;
      case Wait::For::log_write:
        if (made_write(task)) take_over_write(task);
        return;
      case Wait::For::own_write:
        for (Task* other : waiting_)
          if (other->asks_at() && other->waits_for(Wait::For::log_write) && made_write(*other))
            return take_over_write(*other);
        return;
      case Wait::For::moment:
        wait_until(task, wait.until);
        return;
      case Wait::For::durable:
        retry_stopped();  // it may have waited to write to the log and have found that it cannot
        return;
      case Wait::For::data:
        return;
    }
  }
}

void Engine::count_result(const Task& task) {
  if (!task.call) return;
  const std::optional<model::SyncResult> result = task.call->result();
  if (!result) return;
  for (std::size_t i = 0; i < kSyncCalls.size(); ++i)
    if (kSyncCalls[i].first == task.operation.kind) ++led_to_[i][static_cast<std::size_t>(*result)];
}

// A call that waits for nothing wakes its task again within the loop, which then goes on: else as
// many calls would lie within each other on the stack as are queued.
void Engine::run_queued(Task& task) {
  if (task.runs_queue) return;
  task.runs_queue = true;
  while (task.idle() && !task.queued.empty()) {
    const Operation operation = task.queued.front();
    task.queued.pop_front();
    dispatch(task, operation);
  }
  task.runs_queue = false;
}

void Engine::stop(Task& task) {
  if (task.called_at == 0) task.called_at = now_;
  task.stopped = true;
  waiting_.push_back(&task);
}

// What stopped its operation is over. A call of which the trace tells when it went on does so then:
// it returns right after.
void Engine::begin_again(Task& task) {
  const Time goes_on = timing_.effect_when_stopped(task.operation);
  if (!closed() && goes_on > now_) return wait_until(task, goes_on);
  task.queued.push_front(closed() ? task.recorded_operation : task.operation);
  task.under_way = false;
  wake(task);
}

void Engine::wake(Task& task) {
  if (!task.stopped) end_measuring(task);
  task.stopped = false;
  task.wait = {};
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &task), waiting_.end());
  if (closed() && task.order != 0)  // 0: an administrator's step, which no trace places
    end_call(task);
  else
    run_queued(task);
}

bool Engine::count_call(const Operation& op) {
  SyncCalls& calls = result_.sync_calls;
  switch (op.kind) {
    case OperationKind::fsync:
      ++calls.fsync;
      return true;
    case OperationKind::fdatasync:
      ++calls.fdatasync;
      return true;
    case OperationKind::msync:
      ++calls.msync;
      return true;
    case OperationKind::syncfs:
      ++calls.syncfs;
      return true;
    case OperationKind::sync:
      ++calls.sync;
      return true;
    case OperationKind::sync_file_range:
      ++calls.sync_file_range;
      return true;
    case OperationKind::write:
      if ((op.flags & model::operation_flag::sync) != 0)
        ++calls.sync_write;
      else if (fs_->waits(op))  // O_DSYNC, and what makes every write of a file synchronous
        ++calls.dsync_write;
      else
        return false;
      return true;
    default:
      return false;
  }
}

// ---- time -----------------------------------------------------------------------------------

const Engine::WriteEnd* Engine::next_write() const {
  const auto earliest =
      std::min_element(writes_.begin(), writes_.end(),
                       [](const WriteEnd& a, const WriteEnd& b) { return a.time < b.time; });
  return earliest == writes_.end() ? nullptr : &*earliest;
}

std::optional<Time> Engine::next_event() const {
  std::optional<Time> next = fs_->next_event();
  const auto offer = [&](const std::optional<Time>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (!io_ends_.empty()) offer(io_ends_.front().time);
  if (const WriteEnd* write = next_write()) offer(write->time);
  if (!moments_.empty()) offer(moments_.front().time);
  offer(daemon_wakes_);
  offer(flusher_);
  return next;
}

// Everything that happens by itself up to and including `until`, in order of time; ties end I/O
// first, then writes to the log, then calls go on for which the moment has come, then the commit
// daemon wakes, then comes what the file system does by itself, then the flusher.
void Engine::advance(Time until) {
  while (const std::optional<Time> next = next_event()) {
    if (*next > until) break;
    now_ = std::max(now_, *next);
    if (!io_ends_.empty() && io_ends_.front().time == *next) {
      end_io();
    } else if (const WriteEnd* write = next_write(); write != nullptr && write->time == *next) {
      end_write();
    } else if (!moments_.empty() && moments_.front().time == *next) {
      end_moment();
    } else if (daemon_wakes_ == next) {
      wake_daemon();
    } else if (fs_->next_event() == next) {
      fs_->happen(now_);
      settle();
    } else {
      fire_flusher();
    }
  }
  now_ = std::max(now_, until);
}

void Engine::settle(const Task* caller) {
  for (const model::StartedIo& io : fs_->started_io()) schedule_io(io, caller);
  fs_->started_io().clear();
  note_log_writes(caller);
  if (!flusher_) arm_flusher();
}

void Engine::schedule_io(const model::StartedIo& io, const Task* caller) {
  Time end = now_ + timing_.unawaited_ns();
  if (io.awaited != model::AwaitedBy::nobody) {
    assert(caller != nullptr);
    end = io.awaited == model::AwaitedBy::call
              ? timing_.data_end(now_, caller->operation, io.bytes)
              : timing_.wait_end(now_, caller->operation, io.bytes);
  }
  io_ends_.push_back({end, sequence_++, io.file});
  std::push_heap(io_ends_.begin(), io_ends_.end(), later<IoEnd, IoEnd>);
}

// Writes that are new get the time of their end; those that ended on the way, without the engine,
// are forgotten.
void Engine::note_log_writes(const Task* caller) {
  const auto now = fs_->log_writes();
  const auto same = [](const WriteEnd& known, const model::LogWrite& write) {
    return known.write.id == write.id;
  };
  if (writes_.size() == now.size() && std::equal(writes_.begin(), writes_.end(), now.begin(), same))
    return;
  std::vector<WriteEnd> noted;
  for (const model::LogWrite& write : now) {
    const auto known = std::find_if(writes_.begin(), writes_.end(),
                                    [&](const WriteEnd& end) { return same(end, write); });
    if (known != writes_.end()) {
      noted.push_back(*known);
      continue;
    }
    // Only the call that goes on now can have begun a write of its own.
    Task* writer = nullptr;
    if (write.by_caller)
      for (Task* task : waiting_)
        if (task == caller && task->waits_for(Wait::For::own_write)) writer = task;
    noted.push_back({write, end_of(write, writer), writer});
    if (write.by_caller) retry_stopped();
  }
  writes_ = std::move(noted);
}

// A write ends when the call that makes it returned, or the first of those that wait for it. Where
// a call removes a name and then evicts the file, both with synchronous handles, the first commit
// is taken to last until the return, and the second ends at once.
Time Engine::end_of(const model::LogWrite& write, const Task* writer) const {
  Time end = 0;
  if (writer != nullptr) {
    end = timing_.written_by(writer->operation);
  } else if (!write.by_caller) {
    for (const Task* task : waiting_) {
      if (!task->waits_for(Wait::For::durable) || task->wait.sequence != write.sequence) continue;
      if (task->operation.kind == OperationKind::evict && timing_.is_over(now_, task->operation))
        return now_ + 1;
      const Time durable = timing_.durable_by(task->operation);
      if (task->operation.end > now_ && (end == 0 || durable < end)) end = durable;
    }
  }
  return timing_.commit_end(now_, end, write.blocks);
}

void Engine::end_io() {
  std::pop_heap(io_ends_.begin(), io_ends_.end(), later<IoEnd, IoEnd>);
  const FileId file = io_ends_.back().file;
  io_ends_.pop_back();
  fs_->end_io(file, now_);
  settle();
  const std::vector<Task*> waiting = waiting_;
  for (Task* task : waiting) {
    const bool own = task->waits_for(Wait::For::data) && task->wait.file == file;
    const bool all = task->waits_for(Wait::For::all_data) && io_ends_.empty();
    if (own || all) go_on(*task, task->call->next(now_));
  }
}

Engine::WriteEnd* Engine::callers_write() {
  const auto found = std::find_if(writes_.begin(), writes_.end(),
                                  [](const WriteEnd& end) { return end.writer != nullptr; });
  return found == writes_.end() ? nullptr : &*found;
}

// The trace shows that the call made the write under way, and not the one that is taken to make it:
// the kernel's own answers tell, where it has them.
bool Engine::made_write(Task& task) {
  const WriteEnd* write = callers_write();
  if (closed() || write == nullptr) return false;
  if (task.asks_at()) return task.wrote_fast_commit() && !write->writer->wrote_fast_commit();
  return returned_before(task, *write->writer);
}

// The call returned before the one that is taken to make the write. No call sleeps through a write
// that ends after his return: unless it had slept through the one before and was late to wake, it
// made this one, and the other call was still about its data.
bool Engine::returned_before(Task& task, const Task& writer) {
  return task.recorded() && task.operation.end < writer.operation.end &&
         (task.wait.undisturbed || task.leaves_time_to_commit(now_));
}

void Engine::take_over_write(Task& task) {
  WriteEnd& write = *callers_write();
  measure_wait(*write.writer);
  measure_wait(task);
  write.writer->wait = write.writer->call->give_up_write(now_);
  task.wait = task.call->take_over_write(now_);
  write.writer = &task;
  write.time = timing_.commit_end(now_, timing_.written_by(task.operation), write.write.blocks);
}

// Calls that could not begin may be able to now.
void Engine::retry_stopped() {
  for (Task* task : waiting_)
    if (task->stopped && !fs_->stopped(task->operation)) wait_until(*task, now_);
}

void Engine::wait_until(Task& task, Time moment) {
  moments_.push_back({moment, sequence_++, &task});
  std::push_heap(moments_.begin(), moments_.end(), later<Moment, Moment>);
}

void Engine::end_moment() {
  std::pop_heap(moments_.begin(), moments_.end(), later<Moment, Moment>);
  Task& task = *moments_.back().task;
  moments_.pop_back();
  if (task.stopped) return begin_again(task);
  if (task.waits_for(Wait::For::moment) && task.wait.until <= now_)
    go_on(task, task.call->next(now_));
}

// The trace tells when the transaction was locked whose commit this call may ask for.
void Engine::expect_commit(const Task& task) {
  const Time locked = task.operation.kernel.locked;
  if (closed() || locked <= now_ || daemon_wakes_) return;
  daemon_wakes_ = locked;
  fs_->let_daemon_sleep(now_, true);
}

void Engine::wake_daemon() {
  daemon_wakes_.reset();
  fs_->let_daemon_sleep(now_, false);
  settle();
}

void Engine::end_write() {
  const WriteEnd ended = *next_write();
  std::erase_if(writes_, [&](const WriteEnd& end) { return end.write.id == ended.write.id; });
  Task* const writer = ended.writer;
  if (writer != nullptr && writer->wait.undisturbed)
    timing_.note_commit(timing_.commit_time(writer->wait.asked_at, writer->operation));
  fs_->end_log_write(ended.write.id, now_);
  settle();
  if (writer != nullptr) go_on(*writer, writer->call->next(now_));
  const std::vector<Task*> waiting = waiting_;
  for (Task* task : waiting) {
    if (task->stopped) {
      if (ended.write.by_caller) begin_again(*task);  // it may be stopped anew
    } else if (task->waits_for(Wait::For::log_write) ||
               (ended.write.sequence != 0 && task->waits_for(Wait::For::durable) &&
                task->wait.sequence <= fs_->durable())) {
      go_on(*task, task->call ? task->call->next(now_) : Wait{});
    }
  }
}

// ---- the flusher ----------------------------------------------------------------------------

// Wakes every dirty_writeback_centisecs while anything is dirty (fs/fs-writeback.c).
void Engine::arm_flusher() {
  if (!fs_->flusher_has_work()) return;
  const std::int64_t interval =
      clock_.jiffies_of_centisecs(configuration_.writeback.dirty_writeback_centisecs);
  if (interval == 0) return;
  if (const auto& known = options_.flusher_wakeup) {
    // The timer wheel rounds the interval up to its granularity, and each wake-up sets the next.
    const std::int64_t wakeup = clock_.wheel(0, interval);
    const Time period = time_between(wakeup, clock_.wheel(wakeup, wakeup + interval));
    const Time after = (now_ - *known) % period;
    flusher_ = now_ + period - (after < 0 ? after + period : after);
    return;
  }
  const std::int64_t jiffy = clock_.jiffies(now_);
  flusher_ = clock_.time_of_jiffy(clock_.wheel(jiffy, jiffy + interval));
}

void Engine::fire_flusher() {
  flusher_.reset();
  fs_->write_back(now_, now_ - configuration_.writeback.dirty_expire_centisecs * 10'000'000);
  settle();
}

// ---- the answer -----------------------------------------------------------------------------

Prediction Engine::finish(Time end) {
  if (started_) advance(settled_by(end));
  // The counters are read when the calls have returned, though a trace may not say when that was.
  while (!waiting_.empty()) {
    const std::optional<Time> event = next_event();
    if (!event) break;
    advance(*event);
  }
  fill_in(result_);
  return std::move(result_);
}

void Engine::fill_in(Prediction& p) {
  fs_->read(p);
  for (std::size_t i = 0; i < kSyncCalls.size(); ++i)
    for (const auto& [result, name] : kSyncResultNames)
      if (const std::uint64_t count = led_to_[i][static_cast<std::size_t>(result)]; count != 0)
        p.sync_results.emplace_back(std::string(kSyncCalls[i].second) + std::string(name), count);
  if (const CommitTimes* times = timing_.used_commit_times())
    p.assumed.push_back("no [device] given: no fast commit is shorter than " +
                        std::to_string(times->shortest() / 1000) + " us, the first decile of " +
                        std::to_string(times->count()) + " that the trace timed");
  fs_->tell_unsupported(p.unsupported);
}

}  // namespace fcsim::engine
