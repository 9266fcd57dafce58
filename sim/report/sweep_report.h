// The forms in which a grid's results are given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/questions/sweep/sweep.h"
#include "sim/report/document.h"

namespace fcsim::report {

// A line for each point: its values, the counters, the causes that occur anywhere; the refused ones
// say why. Notes on single points follow.
Document sweep_document(const questions::sweep::Sweep& sweep);

// The parameters' keys, "error", "notes", then every counter as `run -f csv` names it; a counter
// that a point's kernel does not have is empty.
std::string sweep_csv(const questions::sweep::Sweep& sweep);

// An array, an object for each point: {"settings": {key: value, ...}, "prediction": P}, where P is
// what `run -f json` prints with these settings, or {"settings": ..., "error": "..."}.
std::string sweep_json(const questions::sweep::Sweep& sweep);

}  // namespace fcsim::report
