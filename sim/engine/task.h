// One process or thread of the trace, and how far its current call has come.
#pragma once

#include <cstdint>
#include <deque>

#include "model/common/commit.h"
#include "model/common/operation.h"

namespace fcsim::engine {

struct Task {
  enum class Step : std::uint8_t {
    idle,         // ready for its next operation
    handle,       // waits for a fast commit that stops all handles; then begins `operation`
    data,         // waits for the I/O of `file`
    all_data,     // sync, syncfs: waits for everybody's
    fast_commit,  // sleeps until a fast or full commit ends, then asks again
    own_commit,   // its fast commit is being written
    full_commit,  // waits for transaction `tid`
  };

  Step step = Step::idle;
  model::Operation operation;  // the call under way
  bool datasync = false;
  model::Tid tid = 0;
  std::uint32_t generation = 0;  // of fast commits, when the call began or last started over
  model::Tid committed = 0;      // the last transaction on disk when the call began
  bool at_once = false;          // no commit had ended within the call when it asked
  bool asked = false;            // it has been asked for, at
  model::Time asked_at = 0;
  bool journalled_pages = false;  // data=journal: pages go home after the commit, with a handle
  int sync_passes = 0;            // syncfs: commits already waited for
  std::deque<model::Operation> queued;  // came while the task was waiting
  // Placement::closed: what virtual time is ahead of recorded time for this task, and its place in
  // the queue of those that can go on.
  model::Time offset = 0;
  model::Operation recorded;  // the call under way as the trace has it
  bool under_way = false;
  std::uint64_t order = 0;  // of appearance, from 1; 0: not a task of the trace
};

}  // namespace fcsim::engine
