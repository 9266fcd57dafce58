// The forms in which two configurations are given side by side.
#pragma once

#include <string>
#include <string_view>

#include "sim/questions/compare/compare.h"
#include "sim/report/document.h"

namespace fcsim::report {

// "fsync", "write", ...: the call of an operation that waits until something is durable.
std::string_view call_name(model::OperationKind kind);

// Settings that differ, counters that are not 0 on both sides, causes that moved, the first sync
// calls whose path changed.
Document compare_document(const questions::compare::CompareResult& result);

// {"a": A, "b": B, "settings": {}, "counters": [], "causes_moved": {}, "sync_calls": N,
//  "changed": N, "changes": []}, where A and B are what `run -f json` prints for each.
std::string compare_json(const questions::compare::CompareResult& result);

}  // namespace fcsim::report
