// Starting other programs: strace, and those of e2fsprogs and util-linux.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace fcsim::machine::record {

// Starts a program with no signal blocked. It is looked for in PATH, then in /usr/sbin and /sbin,
// which an ordinary user's PATH lacks. `directory`: where it runs; "": here. Throws
// std::runtime_error, naming the program, where it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments, const std::string& directory = "");

// Waits for it. Its exit status, or 128 + the signal that ended it.
int wait_for_program(pid_t pid);

struct ProgramResult {
  int status = 0;  // as wait_for_program
  std::string output;
  std::string errors;
};

// Runs a program to its end, standard input empty. Throws as start_program.
ProgramResult run_program(const std::vector<std::string>& arguments);

// run_program() for one that must succeed: its output. Throws std::runtime_error with what it said.
std::string output_of_program(const std::vector<std::string>& arguments);

}  // namespace fcsim::machine::record
