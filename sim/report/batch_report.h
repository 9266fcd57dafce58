// The forms of what a batch says over all its traces.
#pragma once

#include "sim/questions/batch/summary.h"
#include "sim/report/document.h"

namespace fcsim::report {

// For each counter its distribution over the traces by setting, then the settings that are better
// and worse than the baseline, with the trace that gains and the one that loses most.
Document batch_document(const questions::batch::BatchSummary& summary);

}  // namespace fcsim::report
