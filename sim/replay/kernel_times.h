// Joins what the kernel told of sync calls (a recording through tracepoints) to their operations.
//
// The trace tells of a call when it begins and of what the kernel did for it afterwards, so the
// operation of a sync call waits here until the trace has come to the call's return, and all that
// began after it waits, too. Operations of other sources pass at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/common/operation.h"
#include "traces/event.h"

namespace fcsim::replay {

class KernelTimes {
 public:
  // The operations of `event` are those of `chunk` from `from` on; they are replaced by those that
  // need not wait any longer, in the order in which they came.
  void pass(const traces::Event& event, std::vector<model::Operation>& chunk, std::size_t from);
  // The trace, or a run of it, has ended: all that waits is appended.
  void end(std::vector<model::Operation>& chunk);

 private:
  struct Held {
    model::Operation operation;
    std::uint32_t locked_tid = 0;  // of Operation::kernel.locked
    bool waits = false;            // a sync call, until its return
  };

  void note(const traces::Event& event);
  void note_allocated(const traces::Event& event);
  void note_converted(const traces::Event& event);
  void note_asked(const traces::Event& event);
  void note_answered(const traces::Event& event);
  void note_locked(const traces::Event& event);
  void note_durable(const traces::Event& event);
  Held* call_of(std::int32_t pid);

  std::deque<Held> held_;
  // The sync calls among them that have not returned yet, in the order in which they began. A deque
  // moves no element when its ends change.
  std::vector<Held*> calls_;
};

}  // namespace fcsim::replay
