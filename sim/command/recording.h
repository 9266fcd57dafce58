// What record and validate --live say while they record.
#pragma once

#include <string>

#include "sim/command/command.h"
#include "sim/machine/record/record.h"

namespace fcsim::command {

// $TMPDIR, or "/tmp".
std::string temporary_directory();

// A line on standard error for each step of a recording.
void tell_step(machine::record::RecordStep step, const machine::record::Mounted& mounted,
               const std::string& folder);

// How the recording ended, the command's exit status, and what the bundle lacks.
void tell_recording(const CommonOptions& options, const machine::record::Recording& recording,
                    const std::string& bundle);

}  // namespace fcsim::command
