// strace at work: starts it, takes what it writes, ends it when asked to.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/record/signals.h"

namespace fcsim::machine::record {

struct TraceRequest {
  std::vector<std::string> command;           // what is started under strace, or
  std::vector<pid_t> processes;               // what it is attached to, with all their descendants
  std::string directory;                      // where the command runs; "": here
  std::string pipe;                           // path of a FIFO that is made, used and removed
  bool keep_data = false;                     // lines as strace writes them: without_data.h
  std::function<void(std::string_view)> put;  // whole lines of the trace
  std::function<void()> tick;                 // about ten times a second, and once at the end
};

struct TraceEnd {
  std::uint64_t lines = 0;
  std::set<pid_t> processes;          // all that the trace has lines of, threads as well
  std::optional<int> exit_status;     // of the command; 128 + signal where one ended it
  bool strace_died = false;           // ended before what it traced did
  bool ended_command = false;         // ... which a second signal ended
  std::optional<int> interrupted_by;  // the signal that ended the recording
};

// Returns when everything that is traced has ended, or strace has. A signal is passed on to the
// command, which ends in its own way; strace lets go of what it was attached to. A second signal
// kills strace and the command's process group. Where strace ends before the command, and where
// `put` throws, the command goes on: nothing else signals it. Throws std::runtime_error where
// strace cannot be started, and what `put` throws.
TraceEnd trace(const TraceRequest& request, SignalWatch& signals);

// strace's arguments up to the command, for documents and tests.
std::vector<std::string> strace_arguments(const TraceRequest& request);

}  // namespace fcsim::machine::record
