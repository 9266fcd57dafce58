// Which blocks belong to more than one file (the reference count tree).
#pragma once

#include <cstdint>
#include <map>

namespace fcsim::model::xfs {

class SharedBlocks {
 public:
  // One more owner of blocks that are owned already.
  void share(std::uint64_t first, std::uint64_t length) { add(first, length, 1); }
  // One owner less. Calls `freed(first, length)` for what nobody owns any more.
  template <class Freed>
  void drop(std::uint64_t first, std::uint64_t length, const Freed& freed) {
    while (length != 0) {
      const Run run = run_at(first, length);
      if (run.extra == 0)
        freed(first, run.length);
      else
        add(first, run.length, -1);
      first += run.length;
      length -= run.length;
    }
  }
  struct Run {
    std::uint64_t length = 0;
    std::int64_t extra = 0;  // owners besides the first
  };
  // How far from `first` on, `length` at most, the number of owners is the same.
  [[nodiscard]] Run run_at(std::uint64_t first, std::uint64_t length) const;
  [[nodiscard]] bool any() const { return !runs_.empty(); }

 private:
  void split(std::uint64_t at);
  void add(std::uint64_t first, std::uint64_t length, std::int64_t by);
  std::map<std::uint64_t, Run> runs_;  // only where extra > 0
};

}  // namespace fcsim::model::xfs
