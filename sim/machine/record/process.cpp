#include "sim/machine/record/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "sim/machine/record/descriptor.h"

namespace fcsim::machine::record {
namespace {

// What the child does differently from its parent.
struct Redirection {
  int input = -1;  // -1: as the parent's
  int output = -1;
  int errors = -1;
  const char* directory = nullptr;
  int at_parents_end = 0;  // the signal that it gets then; 0: none
  bool own_group = false;  // of processes
};

// The terminal's foreground group, if a terminal is there.
void set_foreground_group(pid_t group) {
  const Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.valid()) return;
  sigset_t stop, before;  // a process in the background would be stopped
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  sigprocmask(SIG_BLOCK, &stop, &before);
  tcsetpgrp(terminal.get(), group);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

bool is_foreground_group(pid_t group) {
  const Descriptor terminal(open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY));
  return terminal.valid() && tcgetpgrp(terminal.get()) == group;
}

std::string search_path() {
  const char* const given = std::getenv("PATH");
  return std::string(given != nullptr && *given != '\0' ? given : "/usr/bin:/bin") +
         ":/usr/sbin:/sbin";
}

// Every file that `name` may stand for, in the order of the search.
std::vector<std::string> candidates(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> files;
  const std::string path = search_path();
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    files.push_back((end == begin ? "." : path.substr(begin, end - begin)) + "/" + name);
    begin = end + 1;
  }
  return files;
}

// In the child: only what is safe after fork. Returns the error that stopped it.
int become(const std::vector<std::string>& files, std::vector<char*>& arguments,
           const Redirection& redirection) {
  if (redirection.own_group) {
    const bool foreground = is_foreground_group(getpgrp());
    setpgid(0, 0);
    if (foreground) set_foreground_group(getpid());
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (redirection.at_parents_end != 0) prctl(PR_SET_PDEATHSIG, redirection.at_parents_end);
  if (redirection.input >= 0) dup2(redirection.input, STDIN_FILENO);
  if (redirection.output >= 0) dup2(redirection.output, STDOUT_FILENO);
  if (redirection.errors >= 0) dup2(redirection.errors, STDERR_FILENO);
  if (redirection.directory != nullptr && chdir(redirection.directory) != 0) return errno;
  int error = ENOENT;
  for (const std::string& file : files) {
    execv(file.c_str(), arguments.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  return error;
}

std::array<Descriptor, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

pid_t start(const std::vector<std::string>& arguments, const Redirection& redirection,
            const std::function<void(pid_t)>& held = {}) {
  const std::vector<std::string> files = candidates(arguments.front());
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  std::array<Descriptor, 2> failure = make_pipe();  // closed by a successful exec
  std::array<Descriptor, 2> leave = make_pipe();    // to go on, for one that is held
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    char go = 0;
    leave[1].reset();
    if (held && read(leave[0].get(), &go, 1) != 1) _exit(126);
    const int error = become(files, pointers, redirection);
    const ssize_t told = write(failure[1].get(), &error, sizeof error);
    _exit(told == sizeof error ? 127 : 126);
  }
  failure[1].reset();
  if (held) {
    try {
      held(pid);
    } catch (...) {
      leave[1].reset();
      waitpid(pid, nullptr, 0);
      throw;
    }
    if (write(leave[1].get(), "", 1) != 1) leave[1].reset();
  }
  int error = 0;
  if (read(failure[0].get(), &error, sizeof error) != sizeof error) return pid;
  waitpid(pid, nullptr, 0);
  throw std::runtime_error(arguments.front() + ": cannot be started: " + std::strerror(error));
}

// Reads both until both have ended.
void drain(std::array<pollfd, 2> ends, std::array<std::string*, 2> texts) {
  std::array<char, 4096> buffer{};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), -1) < 0) continue;  // interrupted
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t count = read(ends[i].fd, buffer.data(), buffer.size());
      if (count > 0)
        texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      else
        ends[i].fd = -1;
    }
  }
}

}  // namespace

pid_t start_program(const std::vector<std::string>& arguments, const std::string& directory,
                    bool own_group) {
  Redirection redirection;
  redirection.own_group = own_group;
  redirection.at_parents_end = SIGKILL;  // strace keeps others from itself
  if (!directory.empty()) redirection.directory = directory.c_str();
  return start(arguments, redirection);
}

pid_t start_held_program(const std::vector<std::string>& arguments, const std::string& directory,
                         const std::function<void(pid_t)>& held) {
  Redirection redirection;
  redirection.own_group = true;
  if (!directory.empty()) redirection.directory = directory.c_str();
  return start(arguments, redirection, held);
}

void signal_group(pid_t leader, int number) {
  if (leader > 1) kill(-leader, number);
}

void take_terminal_back(pid_t leader) {
  if (is_foreground_group(leader)) set_foreground_group(getpgrp());
}

int wait_for_program(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProgramResult run_program(const std::vector<std::string>& arguments) {
  std::array<Descriptor, 2> output = make_pipe();
  std::array<Descriptor, 2> errors = make_pipe();
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t pid =
      start(arguments, {nothing.get(), output[1].get(), errors[1].get(), nullptr, 0, false});
  output[1].reset();
  errors[1].reset();
  ProgramResult result;
  drain({pollfd{output[0].get(), POLLIN, 0}, pollfd{errors[0].get(), POLLIN, 0}},
        {&result.output, &result.errors});
  result.status = wait_for_program(pid);
  return result;
}

std::string output_of_program(const std::vector<std::string>& arguments) {
  ProgramResult result = run_program(arguments);
  if (result.status == 0) return std::move(result.output);
  while (!result.errors.empty() && result.errors.back() == '\n') result.errors.pop_back();
  throw std::runtime_error(arguments.front() + " ended with status " +
                           std::to_string(result.status) + ": " + result.errors);
}

}  // namespace fcsim::machine::record
