#include "sim/questions/explain/programs.h"

#include <string_view>

namespace fcsim::questions::explain {
namespace {

constexpr std::uint64_t kCloneThread = 0x10000;  // CLONE_THREAD, include/uapi/linux/sched.h

std::string last_component(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

void Programs::see(const traces::Event& event) {
  switch (event.call) {
    case traces::Call::execve:
    case traces::Call::execveat: {
      if (!event.has_result || event.error != 0) return;
      Thread& thread = threads_[event.pid];
      thread.name = last_component(event.path.empty() ? event.fd_path : event.path);
      thread.process = event.pid;
      return;
    }
    case traces::Call::fork: {
      if (!event.has_result || event.result <= 0 || event.result > 0x7fffffff) return;
      const auto child = static_cast<std::int32_t>(event.result);
      const bool thread = (event.flags & kCloneThread) != 0;
      Thread made{name_of(event.pid), thread ? process_of(event.pid) : child};
      threads_[child] = std::move(made);
      return;
    }
    default:
      return;
  }
}

const std::string& Programs::name_of(std::int32_t pid) const {
  static const std::string unknown;
  const auto found = threads_.find(pid);
  return found == threads_.end() ? unknown : found->second.name;
}

std::int32_t Programs::process_of(std::int32_t pid) const {
  const auto found = threads_.find(pid);
  return found == threads_.end() ? pid : found->second.process;
}

}  // namespace fcsim::questions::explain
