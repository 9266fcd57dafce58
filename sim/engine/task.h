// One process or thread of the trace, and how far its current call has come.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "model/common/operation.h"
#include "model/file_system.h"
#include "sim/engine/latency.h"
#include "sim/engine/timing.h"

namespace fcsim::engine {

struct Task final : model::CallTime {
  explicit Task(Timing& shared) : timing(shared) {}

  // model::CallTime, of the call under way
  [[nodiscard]] bool recorded() const override { return timing.recorded(operation); }
  [[nodiscard]] bool leaves_time_to_commit(model::Time now) override {
    return timing.leaves_time_to_commit(now, operation.end);
  }
  [[nodiscard]] std::optional<model::Time> asks_at() const override {
    const model::Time asked = operation.kernel.asked;
    return asked != 0 ? std::optional(asked) : std::nullopt;
  }
  [[nodiscard]] bool wrote_fast_commit() const override { return operation.kernel.wrote; }

  [[nodiscard]] bool idle() const { return !stopped && wait.what == model::Wait::For::nothing; }
  [[nodiscard]] bool waits_for(model::Wait::For what) const { return wait.what == what; }

  Timing& timing;
  model::Operation operation;             // the call under way
  bool stopped = false;                   // `operation` cannot begin before a write to the log ends
  model::Wait wait;                       // what it waits for
  std::unique_ptr<model::SyncCall> call;  // made at the first call that waits
  std::deque<model::Operation> queued;    // came while the task was waiting
  bool runs_queue = false;                // calls of `queued` are being made

  // Of a sync call: when it began, what it waits for since when, and what it waited for so far.
  bool measured = false;
  model::Time called_at = 0;
  model::Time waits_since = 0;
  std::array<model::Time, kWaitedFor> waited{};

  // Placement::closed: what virtual time is ahead of recorded time for this task, and its place in
  // the queue of those that can go on.
  model::Time offset = 0;
  model::Operation recorded_operation;  // the call under way as the trace has it
  bool under_way = false;
  std::uint64_t order = 0;  // of appearance, from 1; 0: not a task of the trace
};

}  // namespace fcsim::engine
