// Why each full commit of a trace happened: the call that caused it, its program and its file, and
// what would have avoided it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/questions/explain/traced_calls.h"
#include "sim/questions/tune/tune.h"
#include "sim/replay/session.h"

namespace fcsim::questions::explain {

// What an explanation is about; a commit must fit all that is given.
struct ExplainFilter {
  std::optional<model::Cause> cause;
  std::string file;  // path relative to the mount point, or absolute
  std::optional<std::int32_t> pid;
  [[nodiscard]] bool empty() const { return !cause && file.empty() && !pid; }
};

struct ExplainRequest {
  replay::SessionRequest session;  // its `keep_commits` is made here
  ExplainFilter filter;
  bool attempts = false;    // fast commits and what failed to become one, too
  bool sync_calls = false;  // all of them, too
  bool times = true;        // how long sync calls take by program and file
  bool advice = true;       // costs a further prediction for some causes
};

// The trace does not say how long a call took, or there is no call.
inline constexpr model::Time kNotTimed = -1;

// Calls are indices into Explanation::calls(); kNoCall for the kernel's timers.
struct ExplainedCommit {
  model::FullCommitRecord record;
  std::uint32_t asked_by = kNoCall;
  // The call that caused it: the one that marked first (cause ineligible), else the one that asked.
  std::uint32_t caused_by = kNoCall;
  model::Time took = kNotTimed;  // of the call that asked, in nanoseconds
};

struct ExplainedAttempt {
  model::FastCommitRecord record;
  std::uint32_t asked_by = kNoCall;
  model::Time took = kNotTimed;  // of that call, in nanoseconds
};

struct Share {
  std::uint64_t commits = 0;
  std::uint64_t fast_commits = 0;  // that these full commits ended
  std::uint64_t blocks_logged = 0;
};

struct CauseShare {
  model::Cause cause = model::Cause::timer;
  Share share;
  // Cause ineligible: by the kernel's reason ("" where none was marked) and the call that marked.
  struct Mark {
    std::string reason, call;
    std::uint64_t commits = 0;
  };
  std::vector<Mark> marks;  // worst first
};

// Of a program, or of a file. The name is empty where the trace does not show it.
struct NamedShare {
  std::string name;
  std::vector<std::int32_t> pids;  // ascending
  Share share;
  std::array<std::uint64_t, model::kCauses> causes{};
};

// How long the sync calls of a program, or on a file, take.
struct TimedShare {
  std::string name;                // "" where the trace does not show it
  std::vector<std::int32_t> pids;  // ascending
  engine::Latency latency;
};

// How long sync calls take by what they did to the journal: predicted under `--timing closed`, else
// as recorded.
struct Prices {
  engine::Distribution fast;                              // a fast commit of their own
  std::array<engine::Distribution, model::kCauses> full;  // a full commit that they asked for
  engine::Distribution none;                              // no commit of their own
};

struct OtherOutcome {
  std::string name;  // of a kernel profile
  std::uint64_t fast_commits = 0, full_commits = 0;
};

// Predictions of the same trace where what caused full commits is different.
struct Alternatives {
  std::optional<tune::AreaAdvice> area;          // cause area_full: what area is never full
  std::vector<OtherOutcome> directory_kernels;   // cause directory_fsync: kernels that treat it
                                                 // as fsync of a file
  std::optional<OtherOutcome> with_fast_commit;  // cause fast_commit_off, the feature not there
};

struct Explanation {
  configuration::LoadedConfiguration configuration;
  engine::Prediction prediction;  // with sync_times, without its lists of commits
  model::Time begin = 0;          // of the trace's first line
  TracedCalls traced;
  std::vector<ExplainedCommit> commits;    // that fit the filter, in order of their ends
  std::vector<ExplainedAttempt> attempts;  // likewise; only if wanted, none with a cause given
  // Of `commits`, worst first: by full commits, then by fast commits ended, then by name.
  std::vector<CauseShare> causes;
  std::vector<NamedShare> programs, files;
  // Of the sync calls of the selected file and process; the greatest sum first.
  std::vector<TimedShare> program_times, file_times;
  Prices prices;
  Alternatives alternatives;
  bool filtered = false;
  std::vector<std::string> trace_files;
  std::vector<std::string> warnings;

  [[nodiscard]] const Call* call(std::uint32_t index) const {
    return index == kNoCall ? nullptr : &traced.calls()[index];
  }
  // The kernel's reason of a commit with cause ineligible; "" for others and where none is known.
  [[nodiscard]] std::string reason_of(const model::FullCommitRecord& record) const;
};

// Throws InputError.
Explanation explain(const ExplainRequest& request);

}  // namespace fcsim::questions::explain
