// The forms in which recommendations are given, each with the numbers that carry it.
#pragma once

#include <string>

#include "sim/questions/tune/tune.h"
#include "sim/report/document.h"

namespace fcsim::report {

Document tune_document(const questions::tune::Tuning& tuning);

// {"profile": "...", "area": {}, "ranges": {}, "break_even": {}}; costs as in JournalCost.
std::string tune_json(const questions::tune::Tuning& tuning);

}  // namespace fcsim::report
