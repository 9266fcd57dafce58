// What stands after a call's closing bracket: result, error, notes, duration.
#pragma once

#include "traces/event.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

struct ResultNotes {
  bool restarted = false;  // ERESTART*: the kernel will run the call again
  bool injected = false;   // strace made the result up, the kernel did not run the call
};

// Reads " = RESULT ... <DURATION>" up to the end of the line into `event`. Returns false, with the
// failure, for anything else.
bool parse_result(Cursor& cursor, Event& event, ResultNotes& notes, StringDecoder& decoder,
                  Failure& failure);

}  // namespace fcsim::traces::strace
