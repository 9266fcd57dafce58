// What a recording through the kernel's tracepoints tells besides strace's text.
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/event.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

struct LineFacts {
  std::int16_t cpu = -1;
  std::int16_t cpu_end = -1;
  std::uint32_t transaction = 0;
};

// Cuts " [cpu 0,1 tid 7]" off the end of a line; false, and the line as it was, if it has none.
bool cut_facts(std::string_view& line, LineFacts& facts);

// "*** ext4_fc_commit_stop tid=7 nblks=1 reason=0 ***", with the cursor in front of the stars.
bool parse_fact(Cursor cursor, Event& event, StringDecoder& decoder, Failure& failure);

}  // namespace fcsim::traces::strace
