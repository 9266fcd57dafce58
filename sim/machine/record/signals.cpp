#include "sim/machine/record/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace fcsim::machine::record {

SignalWatch::SignalWatch() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction known {};  // what nohup and the like have had ignored stays ignored
    if (sigaction(number, nullptr, &known) == 0 && known.sa_handler == SIG_IGN) continue;
    sigaddset(&wanted, number);
  }
  descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
}

SignalWatch::~SignalWatch() {
  while (take()) {
  }  // what was not asked for any more must not end the program now
  close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<CaughtSignal> SignalWatch::take() {
  signalfd_siginfo information{};
  if (read(descriptor_, &information, sizeof information) != sizeof information)
    return std::nullopt;
  return CaughtSignal{static_cast<int>(information.ssi_signo), information.ssi_code == SI_KERNEL};
}

void SignalWatch::check() {
  if (const auto caught = take()) throw Interrupted(caught->number);
}

}  // namespace fcsim::machine::record
