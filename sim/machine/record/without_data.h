// What strace prints of the contents of files and of a program's arguments, and no prediction
// needs.
#pragma once

#include <string>
#include <string_view>

namespace fcsim::machine::record {

// A line of strace's output as the bundle has it. Of the buffers of read and write calls, of
// messages and of io_submit, `""...` is left, and so of each argument of a program that is
// executed. What is written to files in /proc/sys/vm and /sys/fs/cgroup stays: it steers the
// kernel's memory. `room` holds the result where it is not `line` itself.
std::string_view without_data(std::string_view line, std::string& room);

}  // namespace fcsim::machine::record
