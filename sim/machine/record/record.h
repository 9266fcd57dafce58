// Records a bundle: strace and what a prediction needs besides the trace.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/record/kernel_counters.h"
#include "sim/machine/record/mounted.h"
#include "sim/machine/record/signals.h"

namespace fcsim::machine::record {

// Where a recording has come to.
enum class RecordStep : std::uint8_t {
  manifest,   // the names and extents are being listed
  tracing,    // strace runs
  finishing,  // it has ended; the bundle is being completed
};

struct RecordRequest {
  std::string bundle;  // the folder to make
  bool replace = false;
  std::vector<std::string> command;  // either this
  std::vector<pid_t> processes;      // or running programs, each with its descendants
  std::string directory;             // the command's working directory; "": this one
  // A folder on the file system to record. "": of the command's working directory, or what
  // mount_point_of_process() says of the first process.
  std::string mount_point;
  bool manifest = true;
  bool compress = true;                                // trace.strace.zst, else trace.strace
  std::vector<std::string> configuration_directories;  // as in LoadRequest
  std::string temporary;                               // $TMPDIR; "": /tmp
  std::function<void(RecordStep, const Mounted&, const std::string& folder)> progress;
};

struct Recording {
  Mounted mounted;
  std::vector<std::string> lacks;  // sentences: what could not be recorded; in env.toml as well
  std::optional<KernelCounters> counted;  // over the recording
  std::uint64_t lines = 0;                // of the trace
  std::optional<int> exit_status;         // of the command; 128 + signal where one ended it
  bool strace_died = false;
  std::optional<int> interrupted_by;  // a signal ended the recording; the bundle is complete
};

// In this order: sync of the file system, so that no transaction is open; environment; the
// counters; the manifest; strace; the counters again. Throws InputError or std::runtime_error where
// no recording came about (nothing is left then), Interrupted where a signal came before strace
// ran.
Recording record(const RecordRequest& request, SignalWatch& signals);

}  // namespace fcsim::machine::record
