// The kernel's tracepoints at work: starts what is recorded, takes what the kernel tells, ends when
// asked to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/record/signals.h"
#include "traces/event.h"

namespace fcsim::machine::record::tracepoints {

struct TracepointRequest {
  std::vector<std::string> command;  // what is started and recorded, or
  std::vector<pid_t> processes;      // running processes, with all their descendants, or
  bool everybody = false;            // all that touches the file system; a command ends it
  std::string directory;             // where the command runs; "": here
  dev_t device = 0;                  // of the file system
  std::string mount_point;
  bool whole_mount = true;                  // the mount point shows the file system from its root
  std::optional<std::int64_t> duration_ns;  // end after this time
  std::size_t ring_bytes = 0;               // 0: default_ring_bytes()
  std::function<void()> attached;           // before the command runs
  std::function<void()> ended;              // as soon as the recording is over
  // Events in the order in which they began, in a thread of its own.
  std::function<void(const traces::Event&)> put;
  std::function<void()> flush;  // about once a second, in the same thread
};

struct TracepointEnd {
  std::uint64_t events = 0;
  std::uint64_t calls = 0;
  std::uint64_t lost = 0;            // records that found the ring full
  std::uint64_t unread_strings = 0;  // paths that were not in memory
  std::uint64_t reordered = 0;
  std::uint64_t restarted = 0;
  std::int64_t first_time = 0, last_time = 0;  // CLOCK_REALTIME
  std::uint64_t ring_bytes = 0, ring_peak = 0;
  std::set<std::int32_t> tasks;       // that events name
  std::optional<int> exit_status;     // of the command; 128 + signal where one ended it
  std::optional<int> interrupted_by;  // the signal that ended the recording
};

// Returns when everything that is recorded has ended, the time is over, or a signal came. A signal
// is passed on to the command's process group and to no other. Throws std::runtime_error where
// the programs cannot be loaded or the command cannot be started.
TracepointEnd record_tracepoints(const TracepointRequest& request, SignalWatch& signals);

// A process and all its descendants.
std::set<pid_t> with_descendants(pid_t process);

}  // namespace fcsim::machine::record::tracepoints
