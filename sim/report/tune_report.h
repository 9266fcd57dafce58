// The forms in which recommendations are given, each with the numbers that carry it.
#pragma once

#include <string>

#include "sim/tune/tune.h"

namespace fcsim::sim {

std::string tune_text(const Tuning& tuning);

// {"profile": "...", "area": {}, "ranges": {}, "break_even": {}}; costs as in JournalCost.
std::string tune_json(const Tuning& tuning);

}  // namespace fcsim::sim
