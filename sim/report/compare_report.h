// The forms in which two configurations are given side by side.
#pragma once

#include <string>

#include "sim/questions/compare/compare.h"

namespace fcsim::report {

// Settings that differ, counters that are not 0 on both sides, causes that moved, the first sync
// calls whose path changed.
std::string compare_text(const questions::compare::CompareResult& result);

// {"a": A, "b": B, "settings": {}, "counters": [], "causes_moved": {}, "sync_calls": N,
//  "changed": N, "changes": []}, where A and B are byte for byte what `run -f json` prints for
//  each.
std::string compare_json(const questions::compare::CompareResult& result);

}  // namespace fcsim::report
