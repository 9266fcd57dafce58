#include "sim/questions/explain/alternatives.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/questions/tune/trials.h"

namespace fcsim::questions::explain {
namespace {

bool has_cause(const Explanation& explanation, model::Cause cause) {
  return std::any_of(explanation.causes.begin(), explanation.causes.end(),
                     [&](const CauseShare& share) { return share.cause == cause; });
}

// Another kernel or another feature may not mount this file system (a journal too small): then
// there is nothing to compare with.
std::optional<OtherOutcome> try_one(tune::Trials& trials, const std::string& name,
                                    const std::string& setting) {
  try {
    const replay::Outcome outcome = trials.run_one({setting});
    return OtherOutcome{name, outcome.prediction.commits, outcome.prediction.transactions};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  } catch (const model::InputError&) {
    return std::nullopt;
  }
}

// Profiles whose fsync of a directory is one of a file. Told from their rules, not their names.
std::vector<OtherOutcome> directory_kernels(tune::Trials& trials,
                                            const configuration::LoadRequest& configuration) {
  std::vector<OtherOutcome> kernels;
  for (const configuration::ProfileSummary& profile :
       configuration::list_profiles(configuration.directories)) {
    configuration::LoadRequest alone;
    alone.profile = profile.name;
    alone.directories = configuration.directories;
    if (load(alone).values.kernel.fast_commit.directory_fsync != model::DirectoryFsync::own_tid)
      continue;
    if (auto kernel = try_one(trials, profile.name, "kernel.profile=" + profile.name))
      kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

}  // namespace

Alternatives find_alternatives(const replay::SessionRequest& session,
                               const Explanation& explanation) {
  tune::TuneRequest request;
  request.common.inputs = session.inputs;
  request.common.mount_point = session.mount_point;
  request.common.strict = session.strict;
  request.common.threads = session.threads;
  request.configuration = session.configuration;
  tune::Trials trials(request);
  Alternatives alternatives;
  if (has_cause(explanation, model::Cause::area_full))
    alternatives.area = find_area_need(trials, explanation.configuration);
  if (has_cause(explanation, model::Cause::directory_fsync))
    alternatives.directory_kernels = directory_kernels(trials, session.configuration);
  const model::FilesystemSettings& filesystem = explanation.configuration.values.filesystem;
  if (has_cause(explanation, model::Cause::fast_commit_off) && !filesystem.has("fast_commit"))
    alternatives.with_fast_commit = try_one(trials, "fast_commit", "filesystem.fast_commit=true");
  return alternatives;
}

}  // namespace fcsim::questions::explain
