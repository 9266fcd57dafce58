#include "sim/machine/record/tracer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/process.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"

namespace fcsim::machine::record {
namespace {

// All that concerns files, descriptors, mappings and processes; '?' where not every machine has it.
constexpr const char* kCalls =
    "trace=%file,%desc,%process,msync,munmap,mremap,sync,syncfs,?close_range,?unshare,?io_submit,"
    "?io_getevents,?io_pgetevents,?pidfd_getfd,?bind,?connect,?recvmsg,?recvmmsg,?socket,?"
    "socketpair,"
    "?accept,?accept4";

constexpr int kPipeBytes = 1 << 20;

// strace that lets go of a process within vfork waits for it, and so does the process for its
// child, which strace holds (6.1): after this time it is killed, whereupon the kernel lets go of
// both.
constexpr std::int64_t kLetGo = 2 * kSecond;

// Children of all threads, and theirs.
void add_descendants(pid_t pid, std::set<pid_t>& found) {
  if (!found.insert(pid).second) return;
  std::error_code error;  // it may have ended meanwhile
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::istringstream children(read_small_file(thread.path().string() + "/children").value_or(""));
    for (pid_t child = 0; children >> child;) add_descendants(child, found);
  }
}

// What the lines of the trace tell about its end.
class LineWatch {
 public:
  // "PID TIME +++ exited with 0 +++" or "... +++ killed by SIGKILL +++"
  void see(std::string_view line) {
    ++lines_;
    std::int32_t pid = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), pid);
    if (read.ec != std::errc{}) return;
    if (first_ == 0) first_ = pid;
    if (pid != last_) seen_.insert(pid);
    last_ = pid;
    const std::size_t end = line.find(" +++ ");
    if (end == std::string_view::npos || end > 40) return;  // within a call's arguments
    last_ = 0;
    if (pid == first_) take_end(line.substr(end + 5));
  }

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] pid_t first() const { return first_; }  // of the command; 0: not known yet
  [[nodiscard]] std::optional<int> status() const { return status_; }
  [[nodiscard]] const std::set<pid_t>& seen() const { return seen_; }

 private:
  void take_end(std::string_view what) {
    constexpr std::string_view kExited = "exited with ";
    constexpr std::string_view kKilled = "killed by ";
    if (what.starts_with(kExited)) {
      int status = 0;
      std::from_chars(what.data() + kExited.size(), what.data() + what.size(), status);
      status_ = status;
    } else if (what.starts_with(kKilled)) {
      status_ = 128 + number_of(what.substr(kKilled.size()));
    }
  }

  // "SIGKILL +++" or "SIGSEGV (core dumped) +++"
  static int number_of(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(' '));
    for (int number = 1; number < NSIG; ++number) {
      const char* const known = sigabbrev_np(number);
      if (known != nullptr && name == "SIG" + std::string(known)) return number;
    }
    return 0;
  }

  std::uint64_t lines_ = 0;
  pid_t first_ = 0;
  pid_t last_ = 0;
  std::set<pid_t> seen_;
  std::optional<int> status_;
};

class Tracing {
 public:
  Tracing(const TraceRequest& request, SignalWatch& signals)
      : request_(request), signals_(signals) {}
  ~Tracing() {
    if (strace_ > 0) kill(strace_, SIGKILL);
    if (strace_ > 0 && request_.processes.empty()) end_group();
    if (strace_ > 0) wait_for_program(strace_);
    unlink(request_.pipe.c_str());
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  TraceEnd run() {
    make_pipe();
    begin();
    while (!ended_) step();
    take_bytes();  // what strace wrote before it ended
    if (request_.processes.empty()) end_group();
    const int status = wait_for_program(std::exchange(strace_, 0));
    request_.tick();
    TraceEnd end;
    end.lines = watch_.lines();
    end.processes = watch_.seen();
    end.interrupted_by = interrupted_by_;
    if (request_.processes.empty()) end.exit_status = watch_.status();
    // A command's end is in the trace. An attached strace that was told to let go ends by SIGINT.
    end.strace_died =
        request_.processes.empty() ? !watch_.status() : status > 128 && !interrupted_by_;
    return end;
  }

 private:
  void make_pipe() {
    unlink(request_.pipe.c_str());
    if (mkfifo(request_.pipe.c_str(), 0600) != 0)
      throw std::system_error(errno, std::generic_category(), request_.pipe);
    pipe_.reset(open(request_.pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!pipe_.valid()) throw std::system_error(errno, std::generic_category(), request_.pipe);
    fcntl(pipe_.get(), F_SETPIPE_SZ, kPipeBytes);  // a smaller one stops strace more often, no more
  }

  void begin() {
    std::vector<std::string> arguments = strace_arguments(request_);
    arguments.insert(arguments.end(), request_.command.begin(), request_.command.end());
    strace_ = start_program(arguments, request_.directory, request_.processes.empty());
    end_.reset(static_cast<int>(syscall(SYS_pidfd_open, strace_, 0)));
    if (!end_.valid()) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  }

  void step() {
    std::array<pollfd, 3> wanted = {pollfd{end_.get(), POLLIN, 0},
                                    pollfd{signals_.descriptor(), POLLIN, 0},
                                    pollfd{pipe_.get(), POLLIN, 0}};
    // After a writer has gone the pipe is always ready; then strace's end is at hand.
    const nfds_t count = pipe_ended_ ? 2 : 3;
    poll(wanted.data(), count, 100);
    ended_ = (wanted[0].revents & POLLIN) != 0;
    if ((wanted[1].revents & POLLIN) != 0)
      if (const auto caught = signals_.take()) pass_on(*caught);
    if (!pipe_ended_ && wanted[2].revents != 0) take_bytes();
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - last_tick_ > kSecond / 10) {
      last_tick_ = now;
      request_.tick();
    }
    if (interrupted_by_ && !request_.processes.empty() && now - interrupted_at_ > kLetGo)
      kill(strace_, SIGKILL);
  }

  void take_bytes() {
    std::array<char, 65536> buffer{};
    for (int reads = 0; reads < 16 || ended_; ++reads) {
      const ssize_t count = read(pipe_.get(), buffer.data(), buffer.size());
      pipe_ended_ = count == 0;
      if (count <= 0) return;
      take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
  }

  // Hands on whole lines; a last line that was cut is of no use.
  void take(std::string_view bytes) {
    rest_ += bytes;
    const std::size_t whole = rest_.rfind('\n');
    if (whole == std::string::npos) return;
    std::size_t begin = 0;
    while (begin <= whole) {
      const std::size_t end = rest_.find('\n', begin);
      watch_.see(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    request_.put(std::string_view(rest_).substr(0, whole + 1));
    rest_.erase(0, whole + 1);
  }

  void pass_on(const CaughtSignal& caught) {
    if (interrupted_by_) {
      kill(strace_, SIGKILL);
      return;
    }
    interrupted_by_ = caught.number;
    interrupted_at_ = clock_ns(CLOCK_MONOTONIC);
    if (caught.from_terminal) return;  // the others in the foreground have it already
    if (!request_.processes.empty())
      kill(strace_, SIGINT);
    else if (watch_.first() != 0)
      signal_group(strace_, caught.number);  // strace itself keeps fatal signals blocked
    else
      kill(strace_, SIGKILL);
  }

  // What a killed strace left. Only the group that was made for the command is signalled,
  // never a number that the trace has: another process may have those by now.
  void end_group() const {
    take_terminal_back(strace_);
    signal_group(strace_, SIGKILL);
  }

  const TraceRequest& request_;
  SignalWatch& signals_;
  Descriptor pipe_;
  Descriptor end_;
  pid_t strace_ = 0;
  LineWatch watch_;
  std::string rest_;
  std::optional<int> interrupted_by_;
  std::int64_t last_tick_ = 0;
  std::int64_t interrupted_at_ = 0;
  bool pipe_ended_ = false;
  bool ended_ = false;
};

}  // namespace

std::vector<std::string> strace_arguments(const TraceRequest& request) {
  std::vector<std::string> arguments = {"strace", "-q", "-f", "-ttt", "-T", "-y",
                                        "-s",     "64", "-e", kCalls, "-o", request.pipe};
  std::set<pid_t> processes;
  for (const pid_t pid : request.processes) add_descendants(pid, processes);
  for (const pid_t pid : processes) {
    arguments.emplace_back("-p");
    arguments.push_back(std::to_string(pid));
  }
  if (!request.command.empty()) arguments.emplace_back("--");
  return arguments;
}

TraceEnd trace(const TraceRequest& request, SignalWatch& signals) {
  return Tracing(request, signals).run();
}

}  // namespace fcsim::machine::record
