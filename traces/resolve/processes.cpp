#include "traces/resolve/processes.h"

#include <algorithm>

namespace fcsim::traces::resolve {

std::vector<std::int32_t> Processes::pids() const {
  std::vector<std::int32_t> all;
  all.reserve(by_pid_.size());
  for (const auto& entry : by_pid_) all.push_back(entry.first);
  std::sort(all.begin(), all.end());
  return all;
}

void Processes::rename(std::int32_t from, std::int32_t to) {
  last_ = nullptr;
  auto node = by_pid_.extract(from);
  if (node.empty()) return;
  by_pid_.erase(to);
  node.key() = to;
  node.mapped().pid = to;
  by_pid_.insert(std::move(node));
}

}  // namespace fcsim::traces::resolve
