// SIGINT, SIGTERM and SIGHUP as events that a loop waits for, so that what was begun (a mount, a
// traced program, half a bundle) is brought to its end.
#pragma once

#include <csignal>
#include <optional>

namespace fcsim::machine::record {

struct CaughtSignal {
  int number = 0;
  bool from_terminal = false;  // ^C: the programs in the foreground got it, too
};

// While it lives the three signals are blocked in the calling thread and in threads made later, and
// wait to be taken here. One at a time; not to be moved between threads.
class SignalWatch {
 public:
  // Throws std::system_error.
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Readable by poll() when a signal waits.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // The next signal, or nullopt; never waits.
  std::optional<CaughtSignal> take();
  // Throws Interrupted if one waits.
  void check();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

// What was asked for ended early because of a signal.
class Interrupted {
 public:
  explicit Interrupted(int number) : number_(number) {}
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace fcsim::machine::record
