// Events as lines of strace's text: what reading a line gives, the other way round.
#pragma once

#include <cstdint>
#include <string>

#include "traces/event.h"

namespace fcsim::traces::strace {

// A line is as `strace -f --absolute-timestamps=unix,ns --syscall-times=ns -y` writes it, flags as
// numbers. What strace does not tell stands where it is easily cut off: " [cpu 0,1 tid 7]" after
// the call's time, and lines "PID TIME *** ext4_fc_commit_stop tid=7 nblks=1 reason=0 ***".
class LineWriter {
 public:
  // Appends the line of the event with its line feed; nothing for what an io_submit before it says.
  void append(const Event& event, std::string& text);

 private:
  void arguments(const Event& event, const char* letters, std::string& text);
  void argument(const Event& event, char letter, std::size_t index, std::string& text);
  void fact(const Event& event, std::string& text);
  void result(const Event& event, std::string& text);

  std::uint64_t submission_line_ = 0;  // of the io_submit before; 0: none
};

}  // namespace fcsim::traces::strace
