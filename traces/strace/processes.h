// Which process a line without a pid column belongs to, in traces that have the column in some
// lines only: strace writes "[pid N]" to a terminal only while it follows more than one process.
#pragma once

#include <cstdint>
#include <vector>

namespace fcsim::traces::strace {

class UnnamedProcesses {
 public:
  // `first` is the name that the first process goes by while its pid is not known.
  explicit UnnamedProcesses(std::int32_t first) : first_(first) {}

  // The pid of a line without column: that of the one process that is left.
  [[nodiscard]] std::int32_t unnamed() const {
    return !first_is_alive_ && children_.size() == 1 ? children_.front() : first_;
  }

  // The pid for a line of "[pid N]". The first such pid that is not a child of another is that of
  // the process whose lines had no column before, and keeps the name it had.
  std::int32_t named(std::int32_t pid);

  void forked(std::int32_t child);
  void exited(std::int32_t process);

 private:
  std::int32_t first_;
  std::int32_t first_pid_ = 0;
  bool first_is_alive_ = true;
  std::vector<std::int32_t> children_;  // alive, in order of their appearance
};

}  // namespace fcsim::traces::strace
