// Processes and what they may share: descriptor tables, working directories, address spaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/resolve/descriptors.h"
#include "traces/resolve/mappings.h"

namespace fcsim::traces::resolve {

// A directory: a file of the traced file system, or an absolute path elsewhere ("" = not known).
struct Place {
  model::FileId file = model::kNoFile;
  std::string outside;
  [[nodiscard]] bool known() const noexcept { return file != model::kNoFile || !outside.empty(); }
  bool operator==(const Place&) const = default;
};

// An fs_struct. Its two places hold references to their files.
struct Directories {
  Place root{model::kNoFile, "/"};
  Place working;
  std::string working_text;  // what -y last printed for `working`
};

// The threads of one process.
struct ThreadGroup {
  std::int32_t leader = 0;
  bool exiting = false;  // exit_group was called; the threads end one by one
  std::vector<std::int32_t> members;
};

// A task: a process or one of its threads. Sharing is shared ownership.
struct Process {
  std::int32_t pid = 0;
  std::shared_ptr<DescriptorTable> table;
  std::shared_ptr<Directories> directories;
  std::shared_ptr<Mappings> mappings;
  std::shared_ptr<ThreadGroup> group;
};

// The live tasks by number. Pointers stay valid until the task is removed.
class Processes {
 public:
  [[nodiscard]] Process* find(std::int32_t pid) noexcept {
    if (last_ != nullptr && last_pid_ == pid) return last_;
    const auto found = by_pid_.find(pid);
    if (found == by_pid_.end()) return nullptr;
    last_ = &found->second;
    last_pid_ = pid;
    return last_;
  }
  Process& add(std::int32_t pid) {
    last_ = nullptr;
    Process& process = by_pid_[pid];
    process.pid = pid;
    return process;
  }
  void remove(std::int32_t pid) {
    last_ = nullptr;
    by_pid_.erase(pid);
  }
  [[nodiscard]] std::size_t size() const noexcept { return by_pid_.size(); }
  // All numbers, ascending.
  [[nodiscard]] std::vector<std::int32_t> pids() const;
  // A task takes another number (exec by a thread that is not the leader).
  void rename(std::int32_t from, std::int32_t to);

 private:
  std::unordered_map<std::int32_t, Process> by_pid_;
  Process* last_ = nullptr;
  std::int32_t last_pid_ = 0;
};

}  // namespace fcsim::traces::resolve
