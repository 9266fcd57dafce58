// What the order of a trace's lines had to stand in for.
#pragma once

#include <string>
#include <vector>

#include "traces/reader.h"

namespace fcsim::traces {

// A sentence each; empty where times and durations place every call.
std::vector<std::string> order_assumptions(const ReaderStatistics& statistics);

}  // namespace fcsim::traces
