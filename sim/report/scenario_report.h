// The forms in which a scenario's steps are given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/questions/scenario/scenario.h"
#include "sim/report/document.h"

namespace fcsim::report {

// A row for each step, then what the answer rests on.
Document scenario_document(const questions::scenario::ScenarioResult& result);

// One JSON object and a line feed:
//   steps [{step, argument, line, mounted, and what /proc shows then: fc_info {}, jbd2 {}, causes
//   {}, sync_calls {}, fast_commit {}, as `fcsim run` has them}]; config {}, assumed [], notes [],
//   unsupported {}
std::string scenario_json(const questions::scenario::ScenarioResult& result);

// "number,step,argument,counter,value": a line for each counter after each step.
std::string scenario_csv(const questions::scenario::ScenarioResult& result);

}  // namespace fcsim::report
