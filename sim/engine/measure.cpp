// How long sync calls take, and what they wait for.
#include <algorithm>

#include "sim/engine/engine.h"

namespace fcsim::engine {
namespace {

using Wait = model::Wait;

// What a wait counts as; nullopt: no time passes in it.
std::optional<WaitedFor> waited_for(const Wait& wait) {
  switch (wait.what) {
    case Wait::For::nothing:
    case Wait::For::again:
      return std::nullopt;
    case Wait::For::data:
    case Wait::For::all_data:
    case Wait::For::moment:  // until it asks: for its data, mostly
      return WaitedFor::data;
    case Wait::For::log_write:
      return WaitedFor::others;
    case Wait::For::own_write:
      return WaitedFor::journal;
    case Wait::For::durable:
      return wait.begun_before ? WaitedFor::others : WaitedFor::journal;
  }
  return std::nullopt;
}

}  // namespace

// An administrator's step is no call of the trace.
void Engine::begin_measuring(Task& task) {
  if (task.operation.pid < 0) return;
  task.measured = true;
  if (task.called_at == 0) task.called_at = now_;
  task.waits_since = now_;
  task.waited = {};
}

// The wait that task.wait says is over.
void Engine::measure_wait(Task& task) {
  if (!task.measured) return;
  if (const auto what = waited_for(task.wait))
    task.waited[static_cast<std::size_t>(*what)] += now_ - task.waits_since;
  task.waits_since = now_;
}

// The engine's call begins when it takes effect, which the time between the recorder's stamp and
// the kernel's entry comes before.
void Engine::end_measuring(Task& task) {
  if (!task.measured) {
    task.called_at = 0;
    return;
  }
  measure_wait(task);
  const model::Operation& recorded =
      closed() && task.under_way ? task.recorded_operation : task.operation;
  SyncTime call;
  call.origin = {recorded.line, recorded.source, recorded.pid, recorded.kind, recorded.file};
  call.start = task.called_at;
  if (timing_.waits(recorded)) call.start -= timing_.effect(recorded) - recorded.start;
  call.end = now_;
  if (timing_.recorded(recorded)) call.recorded = recorded.end - recorded.start;
  call.waited = task.waited;
  result_.latency.add(call);
  if (options_.keep_commits) result_.sync_times.push_back(call);
  task.measured = false;
  task.called_at = 0;
}

}  // namespace fcsim::engine
