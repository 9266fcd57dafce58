// Commits as lines of a bundle's commits.tsv.
#pragma once

#include <string>

#include "traces/event.h"

namespace fcsim::machine::record::tracepoints {

// "REALTIME<TAB>EVENT<TAB>pid=N FIELDS", as the kernel's own trace has them; "" for other events.
std::string commit_line(const traces::Event& event);

}  // namespace fcsim::machine::record::tracepoints
