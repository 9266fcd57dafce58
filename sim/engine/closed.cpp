// Placement::closed: each task is a customer of a closed queueing network. It thinks for as long as
// it did when it was recorded, then makes its next call, which takes as long as journal and device
// let it. Calls come in the order of their recorded starts, so a task's queue is filled before its
// turn; virtual time goes no further than any task could still ask for.
#include <algorithm>
#include <cassert>

#include "sim/engine/engine.h"

namespace fcsim::engine {

using model::Operation;
using model::Time;

void Engine::replay_closed(const Operation& operation) {
  if (operation.kind == model::OperationKind::end_of_trace) return run_closed(operation.start);
  ++result_.operations;
  Task& task = task_of(operation.pid);
  if (task.order == 0) {
    task.order = tasks_.size();
    newborn_.push_back(&task);
  }
  task.queued.push_back(operation);
  const bool born = std::find(newborn_.begin(), newborn_.end(), &task) == newborn_.end();
  if (born && task.idle() && task.queued.size() == 1) {
    idle_.erase(idle_.find(task.offset));
    offer_next(task);
  }
  run_closed(operation.start);
}

// The maker of a task may have waited for calls that had returned before the task's first one: a
// shell starts a program when the one before is done. So it waits for them too.
bool Engine::is_held(const Task& newborn) const {
  const Time start = newborn.queued.front().start;
  const auto before = [start](const Operation& call) { return call.end <= start; };
  for (const Task* task : waiting_)
    if (before(task->recorded_operation) || (!task->queued.empty() && before(task->queued.front())))
      return true;
  return std::any_of(ready_.begin(), ready_.end(),
                     [&](const Ready& ready) { return before(ready.task->queued.front()); });
}

void Engine::admit_newborn() {
  while (!newborn_.empty() && !is_held(*newborn_.front())) {
    Task& task = *newborn_.front();
    newborn_.pop_front();
    task.offset = newest_offset_;
    offer_next(task);
  }
}

void Engine::offer_next(Task& task) {
  assert(task.idle());
  if (task.queued.empty()) {
    idle_.insert(task.offset);
    return;
  }
  const Time effect = timing_.effect(task.queued.front()) + task.offset;
  ready_.insert({std::max(now_, effect), task.order, &task});
}

// What the trace has not said yet starts at `recorded_until` at the earliest, in some task's time.
Time Engine::safe_until(Time recorded_until) const {
  if (recorded_until == kEverything) return kEverything;
  Time least = newest_offset_;
  if (!idle_.empty()) least = std::min(least, *idle_.begin());
  return recorded_until + least;
}

// Calls and events in the order of their times, as far as no call of the trace's rest can come
// before; events of one moment come before calls. After the trace's end, until every call has
// ended.
void Engine::run_closed(Time recorded_until) {
  const bool ended = recorded_until == kEverything;
  for (;;) {
    admit_newborn();
    const Time limit = safe_until(recorded_until);
    const Time call = ready_.empty() ? kEverything : ready_.begin()->time;
    const std::optional<Time> event = next_event();
    if (event && *event <= std::min(call, limit) &&
        !(ended && ready_.empty() && waiting_.empty() && newborn_.empty()))
      advance(*event);
    else if (!ready_.empty() && call <= limit)
      begin_call(call);
    else
      return;
  }
}

void Engine::begin_call(Time at) {
  Task& task = *ready_.begin()->task;
  ready_.erase(ready_.begin());
  now_ = std::max(now_, at);
  task.recorded_operation = task.queued.front();
  task.queued.pop_front();
  task.under_way = true;
  Operation operation = task.recorded_operation;
  operation.start = now_;
  operation.kernel = {};
  operation.end =
      timing_.waits(operation) ? now_ : now_ + (operation.end - task.recorded_operation.start);
  dispatch(task, operation);
  if (task.idle() && task.under_way) end_call(task);
}

// The task's time is ahead of the recorded by what its calls began later or took longer. Where a
// trace does not say how long calls took, waits are part of the think times.
void Engine::end_call(Task& task) {
  if (task.under_way) {
    const Operation& recorded = task.recorded_operation;
    const Time rest = timing_.waits(recorded) ? 0 : recorded.end - timing_.effect(recorded);
    if (timing_.recorded(recorded)) task.offset = now_ + rest - recorded.end;
    newest_offset_ = task.offset;
    task.under_way = false;
  }
  offer_next(task);
}

}  // namespace fcsim::engine
