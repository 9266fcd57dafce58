// Bundles to sweep over, and the runs to compare with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/questions/sweep/sweep.h"
#include "sim/replay/session.h"
#include "sim/report/report.h"

namespace fcsim::test {

inline std::string bundle(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + name;
}

inline configuration::LoadRequest configured() {
  configuration::LoadRequest request;
  request.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return request;
}

// What `fcsim run -f json` prints, or the error's text.
inline std::string run_json(const std::string& input, const std::vector<std::string>& settings,
                            const std::string& profile = "") {
  replay::SessionRequest request;
  request.inputs = {input};
  request.configuration = configured();
  request.configuration.settings = settings;
  request.configuration.profile = profile;
  try {
    const replay::Session session = replay::predict(request);
    return report::json_report(session.configuration, session.prediction);
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

// Bundles of the corpus beside the repository, where there is one; a few of each folder.
inline std::vector<std::string> corpus_bundles() {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  const fs::path corpus = fs::path(FCSIM_SOURCE_DIR) / "../shared/corpus";
  for (const char* name :
       {"rules/art-fc128", "rules/rfc-sparse-r16", "apps/app_git_commits_default",
        "apps/app_sqlite_wal_full_1k", "apps/app_maildrop", "patched/snapshot/rfc-sparse-r8"})
    if (fs::exists(corpus / name)) found.push_back((corpus / name).string());
  return found;
}

}  // namespace fcsim::test
