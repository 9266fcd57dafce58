// What a batch says over all its traces.
#pragma once

#include <string>
#include <vector>

#include "sim/questions/batch/result_database.h"

namespace fcsim::questions::batch {

struct SummaryRequest {
  std::vector<std::string> counters;     // to show; empty: all that are not zero everywhere
  std::string by = "jbd2.transactions";  // what settings are compared by; less is better
  std::string baseline;                  // a setting's number or options; empty: the first
};

// Tables for people: for each counter its distribution over the traces by setting (quartiles
// between two values are interpolated), then the settings that win and lose most against the
// baseline over the traces that have an answer under both, with the trace that wins and the one
// that loses most. Throws InputError for a counter or a baseline that is not in the database.
std::string batch_summary(ResultDatabase& database, const SummaryRequest& request);

}  // namespace fcsim::questions::batch
