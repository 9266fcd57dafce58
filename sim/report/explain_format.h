// How the forms of an explanation write times, places and calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/engine/outcome_name.h"
#include "sim/questions/explain/explain.h"
#include "sim/support/json.h"

namespace fcsim::report {

// How long a call took in microseconds; `unknown` where that is not known.
std::string took_us(model::Time took, const char* unknown);

// "FILE:LINE"; standard input has a name.
std::string place(const questions::explain::Explanation& explanation,
                  const questions::explain::Call& call);

// "python3", or "" where the trace does not show it.
const std::string& program_of(const questions::explain::Explanation& explanation,
                              const questions::explain::Call& call);
const std::string& path_of(const questions::explain::Explanation& explanation,
                           const questions::explain::Call& call);
const std::string& name_of(const questions::explain::Explanation& explanation,
                           const questions::explain::Call& call);

// null where there is no call.
support::Json call_json(const questions::explain::Explanation& explanation,
                        const questions::explain::Call* call);

// What stands where a commit has no call: "timer" for kjournald's, else "writeback", as the
// flusher's handles are the only others.
std::string_view kernel_caller(const model::FullCommitRecord& record);

// Full commits and attempts as one list in order of their ends; what ended a transaction comes
// after the fast commits of that transaction.
using ExplainedEvent = std::variant<const questions::explain::ExplainedCommit*,
                                    const questions::explain::ExplainedAttempt*>;
std::vector<ExplainedEvent> events_in_order(const questions::explain::Explanation& explanation);

}  // namespace fcsim::report
