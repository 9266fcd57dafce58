// The system calls that are recorded, and how an event is made of each one's numbers.
#pragma once

#include <cstdint>
#include <span>

#include "traces/event.h"

namespace fcsim::machine::record::tracepoints {

// Calls that do the same in another spelling have one name: open(2) is told as openat(2) with the
// working directory, so that no path needs the calls before it to be understood.
struct RecordedCall {
  long number = 0;    // __NR_*
  const char* name;   // in the event
  traces::Call call;  // likewise
  // A letter for each argument, as in traces/strace/calls.h, but of the kernel's arguments:
  //   @  no argument: the working directory as `fd`
  //   %  no argument: the working directory as `fd2`
  //   b  buffer of a write: read where it steers the kernel's memory
  const char* arguments;
  std::uint64_t flags = 0;         // that the name stands for: AT_REMOVEDIR for rmdir
  std::uint8_t extra = 0;          // the argument, from 1, that points to a structure
  std::uint8_t extra_size = 0;     // bytes that are read of it
  std::uint16_t kernel_flags = 0;  // tp_flag
};

std::span<const RecordedCall> recorded_calls();

}  // namespace fcsim::machine::record::tracepoints
