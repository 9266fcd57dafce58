// Starting other programs: strace, and those of e2fsprogs and util-linux.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace fcsim::machine::record {

// Starts a program with no signal blocked. It is looked for in PATH, then in /usr/sbin and /sbin,
// which an ordinary user's PATH lacks. `directory`: where it runs; "": here. Throws
// std::runtime_error, naming the program, where it cannot be started. `own_group`: it leads a
// process group of its own, which is the terminal's foreground group if this process's was.
pid_t start_program(const std::vector<std::string>& arguments, const std::string& directory = "",
                    bool own_group = false);

// The same, in a group of its own and not before `held` has returned, which is given its number. It
// goes on where this process ends.
pid_t start_held_program(const std::vector<std::string>& arguments, const std::string& directory,
                         const std::function<void(pid_t)>& held);

// Signals a child that start_program() put into its own group, and all in that group. The child
// must not have been waited for: until then no other process can bear its number.
void signal_group(pid_t leader, int number);

// Makes this process's group the terminal's foreground group again, if `leader`'s is.
void take_terminal_back(pid_t leader);

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
