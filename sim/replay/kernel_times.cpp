#include "sim/replay/kernel_times.h"

#include <algorithm>

#include "sim/engine/timing.h"

namespace fcsim::replay {

using model::Operation;

void KernelTimes::pass(const traces::Event& event, std::vector<Operation>& chunk,
                       std::size_t from) {
  if (event.cpu < 0 && held_.empty()) return;
  for (std::size_t i = from; i < chunk.size(); ++i) {
    const Operation& operation = chunk[i];
    held_.push_back({operation, 0, operation.cpu >= 0 && engine::Timing::waits(operation)});
    if (held_.back().waits) calls_.push_back(&held_.back());
  }
  chunk.resize(from);
  const auto over = [&](const Held* call) { return call->operation.end < event.start_ns; };
  std::erase_if(calls_, over);
  note(event);
  while (!held_.empty() && (!held_.front().waits || over(&held_.front()))) {
    chunk.push_back(held_.front().operation);
    held_.pop_front();
  }
}

void KernelTimes::end(std::vector<Operation>& chunk) {
  for (const Held& held : held_) chunk.push_back(held.operation);
  held_.clear();
  calls_.clear();
}

void KernelTimes::note(const traces::Event& event) {
  using enum traces::Call;
  switch (event.call) {
    case ext4_allocate_blocks:
      return note_allocated(event);
    case jbd2_handle_start:
      return note_converted(event);
    case ext4_fc_commit_start:
      return note_asked(event);
    case ext4_fc_commit_stop:
      return note_answered(event);
    case jbd2_commit_locking:
      return note_locked(event);
    case jbd2_end_commit:
      return note_durable(event);
    default:
      return;
  }
}

// The sync call of the process that is under way; nullptr where there is none.
KernelTimes::Held* KernelTimes::call_of(std::int32_t pid) {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(),
                                  [&](const Held* call) { return call->operation.pid == pid; });
  return found == calls_.rend() ? nullptr : *found;
}

void KernelTimes::note_allocated(const traces::Event& event) {
  Held* call = call_of(event.pid);
  if (call != nullptr && call->operation.kernel.allocated == 0)
    call->operation.kernel.allocated = event.start_ns;
}

// A worker converts what sync calls wrote to new blocks, in the order in which they began. The
// event does not tell the file (fs/ext4/page-io.c:ext4_end_io_end).
void KernelTimes::note_converted(const traces::Event& event) {
  constexpr std::uint64_t extent_conversion = 11;  // EXT4_HT_EXT_CONVERT
  if (event.argument != extent_conversion) return;
  for (Held* call : calls_) {
    model::KernelTimes& kernel = call->operation.kernel;
    if (kernel.allocated == 0 || kernel.converted != 0 || kernel.asked != 0) continue;
    kernel.converted = event.start_ns;
    return;
  }
}

// A call under data=journal asks twice: its writeback before its fsync.
void KernelTimes::note_asked(const traces::Event& event) {
  Held* call = call_of(event.pid);
  if (call == nullptr || call->operation.kernel.asked != 0) return;
  model::KernelTimes& kernel = call->operation.kernel;
  kernel.asked = event.start_ns;
  kernel.locked = kernel.durable = 0;  // of earlier commits
}

void KernelTimes::note_answered(const traces::Event& event) {
  constexpr std::int64_t written = 0;  // EXT4_FC_STATUS_OK
  Held* call = call_of(event.pid);
  if (call == nullptr) return;
  call->operation.kernel.answered = event.start_ns;
  call->operation.kernel.wrote = event.result == written;
}

void KernelTimes::note_locked(const traces::Event& event) {
  for (Held* call : calls_) {
    model::KernelTimes& kernel = call->operation.kernel;
    if (kernel.locked != 0) continue;
    kernel.locked = event.start_ns;
    kernel.durable = 0;
    call->locked_tid = event.transaction;
  }
}

// Of the transaction that was locked within the call or, without one, of the one that was being
// committed when it began.
void KernelTimes::note_durable(const traces::Event& event) {
  for (Held* call : calls_) {
    model::KernelTimes& kernel = call->operation.kernel;
    if (kernel.durable != 0) continue;
    if (kernel.locked == 0 || call->locked_tid == event.transaction)
      kernel.durable = event.start_ns;
  }
}

}  // namespace fcsim::replay
