// Lines in which what a program wrote to its terminal is mixed with what strace wrote there
// (`2> file`).
#pragma once

#include <string_view>

namespace fcsim::traces::strace {

// Where in a line strace's own text begins after what a program wrote without a line end; empty if
// none does: "42 %\r100 write(3, "x", 1) = 1". Only calls that concern files count.
std::string_view behind_output(std::string_view line);

// Whether the line is the beginning of a write to standard output or standard error, which the
// program's own text interrupts.
bool begins_terminal_write(std::string_view call);

// Whether the line ends such a call: ")     = 6".
bool ends_terminal_write(std::string_view line);

}  // namespace fcsim::traces::strace
