// The forms of what a kernel patch changes, for the cover letter of its series.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/questions/evaluate/evaluate.h"
#include "sim/report/document.h"

namespace fcsim::report {

struct EvaluateStyle {
  // Columns that a table may take: names of traces are cut in the middle until it fits; 0: any.
  std::size_t width = 0;
  std::size_t traces = 20;            // that are listed at most, those that change most
  std::vector<std::string> commands;  // that give these numbers again, a shell word each in order
};

// The rules that change, the sums over all traces, the traces that win and lose with the first call
// that went another way, broken promises, the command to repeat it.
Document evaluate_document(const questions::evaluate::Evaluation& evaluation,
                           const EvaluateStyle& style);

// {"patch", "against", "summary", "rules": {key: {"before", "after"}}, "total": T, "traces":
//  [{"input", "error", "verdict", ...T}], "command"}, where T is {"counters": {name: {"before",
//  "after"}}, "latency": {"before", "after"}, "sync_calls", "changed", "broken_promises": {...}}.
std::string evaluate_json(const questions::evaluate::Evaluation& evaluation,
                          const EvaluateStyle& style);

}  // namespace fcsim::report
