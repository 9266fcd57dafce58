#include "sim/command/recording.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fcsim::command {

std::string temporary_directory() {
  const char* const given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

void tell_step(machine::record::RecordStep step, const machine::record::Mounted& mounted,
               const std::string& folder) {
  switch (step) {
    case machine::record::RecordStep::manifest:
      tell("listing the files of " + mounted.mount_point + " (" + mounted.type + ")");
      break;
    case machine::record::RecordStep::tracing:
      tell("recording into " + folder);
      break;
    case machine::record::RecordStep::finishing:
      break;
  }
}

void tell_recording(const CommonOptions& options, const machine::record::Recording& recording,
                    const std::string& bundle) {
  if (!recording.chosen_because.empty())
    warn(options, "recorded " + recording.mounted.mount_point + ": " + recording.chosen_because +
                      " (--mount-point names another)");
  if (recording.interrupted_by)
    warn(options, std::string("ended by a signal: ") + strsignal(*recording.interrupted_by));
  if (recording.exit_status)
    warn(options, "the command ended with status " + std::to_string(*recording.exit_status));
  if (!recording.why_strace.empty())
    warn(options, "recorded with strace, as the kernel's tracepoints cannot be used: " +
                      recording.why_strace);
  for (const std::string& sentence : recording.notes) warn(options, sentence);
  for (const std::string& sentence : recording.lacks) warn(options, "incomplete: " + sentence);
  warn(options,
       bundle + ": " + std::to_string(recording.lines) +
           (recording.source == machine::record::RecordSource::strace ? " lines" : " events") +
           " of trace, " + (recording.counted ? "with" : "without") + " the kernel's counters");
}

}  // namespace fcsim::command
