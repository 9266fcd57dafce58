// What `fcsim doctor` says of a file system.
#pragma once

#include "sim/questions/doctor/findings.h"
#include "sim/report/document.h"

namespace fcsim::report {

// The state, the counters now, what is wrong with the commands that mend it, and what to run next.
// In the tables of commands the column "data" says what becomes of the files: "kept" or
// "DESTROYED".
Document doctor_document(const questions::doctor::Subject& subject);

}  // namespace fcsim::report
