#include "traces/strace/processes.h"

#include <algorithm>

namespace fcsim::traces::strace {

std::int32_t UnnamedProcesses::named(std::int32_t pid) {
  if (pid == first_pid_) return first_;
  if (std::find(children_.begin(), children_.end(), pid) != children_.end()) return pid;
  if (first_pid_ == 0) {
    first_pid_ = pid;
    return first_;
  }
  children_.push_back(pid);
  return pid;
}

void UnnamedProcesses::forked(std::int32_t child) {
  if (child <= 0 || child == first_pid_) return;
  if (std::find(children_.begin(), children_.end(), child) == children_.end()) {
    children_.push_back(child);
  }
}

void UnnamedProcesses::exited(std::int32_t process) {
  if (process == first_) {
    first_is_alive_ = false;
    return;
  }
  children_.erase(std::remove(children_.begin(), children_.end(), process), children_.end());
}

}  // namespace fcsim::traces::strace
