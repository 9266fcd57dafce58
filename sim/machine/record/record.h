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

// What tells of the calls.
enum class RecordSource : std::uint8_t { strace, tracepoints };

// Where a recording has come to.
enum class RecordStep : std::uint8_t {
  manifest,   // the names and extents are being listed
  tracing,    // strace runs, or the kernel's tracepoints are attached to
  finishing,  // it has ended; the bundle is being completed
};

struct RecordRequest {
  std::string bundle;  // the folder to make
  bool replace = false;
  std::vector<std::string> command;  // either this
  std::vector<pid_t> processes;      // or running programs, each with its descendants
  bool everybody = false;            // or all that touches the file system, beside a command or not
  std::optional<RecordSource> source;       // nullopt: tracepoints where they work, else strace
  std::optional<std::int64_t> duration_ns;  // end after this time
  std::size_t ring_bytes = 0;               // of the tracepoints' ring buffer; 0: as it fits
  std::string directory;                    // the command's working directory; "": this one
  // A folder on the file system to record. "": of the command's working directory, or what
  // mount_of_process() says of the first process.
  std::string mount_point;
  bool manifest = true;
  bool compress = true;    // trace.strace.zst, else trace.strace
  bool keep_data = false;  // also what files hold and the arguments of programs (without_data.h)
  std::vector<std::string> configuration_directories;  // as in LoadRequest
  std::string temporary;                               // $TMPDIR; "": /tmp
  std::string fcsim_version;                           // that goes into the trace
  std::function<void(RecordStep, const Mounted&, const std::string& folder)> progress;
};

struct Recording {
  Mounted mounted;
  RecordSource source = RecordSource::strace;
  std::string why_strace;          // instead of tracepoints; "" where it was asked for
  std::vector<std::string> notes;  // sentences on how the recording went, of no consequence
  std::string chosen_because;      // of a running program: why this file system; "": it was given
  std::vector<std::string> lacks;  // sentences: what could not be recorded; in env.toml as well
  std::optional<KernelCounters> counted;  // over the recording
  std::uint64_t lines = 0;                // of the trace, or its events
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
