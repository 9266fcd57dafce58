// The forms in which an explanation is given. All return text and print nothing.
#pragma once

#include <cstddef>
#include <string>

#include "sim/questions/explain/explain.h"
#include "sim/report/document.h"

namespace fcsim::report {

// For text and Markdown: a line for each full commit (and a fast commit, where the explanation has
// them), then who caused how many, worst first, then what would avoid them. `limit` lines at most;
// 0: all.
Document explain_document(const questions::explain::Explanation& explanation, std::size_t limit);

// One JSON object and a line feed. Times in seconds with nine decimals, as integers would not say
// what they count: `time` as in the trace, `seconds` from its first line.
std::string explain_json(const questions::explain::Explanation& explanation, std::size_t limit);

// A header and a line for each commit, in the order of the text form.
std::string explain_csv(const questions::explain::Explanation& explanation, std::size_t limit);

// The same for XFS: a line for each log write, with whose changes went along, and for each sync
// call without one, why. The forms above are these where the file system is XFS.
Document explain_xfs_document(const questions::explain::Explanation& explanation,
                              std::size_t limit);
std::string explain_xfs_json(const questions::explain::Explanation& explanation, std::size_t limit);
std::string explain_xfs_csv(const questions::explain::Explanation& explanation, std::size_t limit);

// Chrome's trace event format, which ui.perfetto.dev and chrome://tracing open. Needs an
// explanation with attempts and sync calls, without a filter. Times in microseconds from the first
// line. The journal is a process of its own, with a number that no process has (PID_MAX_LIMIT + 1).
std::string explain_perfetto(const questions::explain::Explanation& explanation);

// One sentence about what would avoid the full commits of this cause, by what the model knows.
std::string explain_advice(const questions::explain::Explanation& explanation,
                           const questions::explain::CauseShare& share);

}  // namespace fcsim::report
