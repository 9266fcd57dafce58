// The answer: the kernel's counters as one run of the engine predicts them.
#pragma once

#include <string>
#include <vector>

#include "model/common/commit.h"
#include "model/common/counter_table.h"
#include "model/common/counters.h"
#include "sim/engine/latency.h"

namespace fcsim::engine {

using model::SnapshotCounters;
using model::SyncCalls;

// How far the input lets the answer be trusted.
struct InputQuality {
  std::vector<std::string> lacking;  // what a recording could have held, most harmful first
  std::vector<std::string> unknown;  // what was there before: no recording of calls alone tells
  [[nodiscard]] const char* grade() const {
    return !lacking.empty() ? "poor" : unknown.empty() ? "good" : "fair";
  }
};

struct Stage;

struct Prediction : model::Counters {
  // every call of ext4_fc_commit and every full commit in order of their ends; kept when asked for
  std::vector<model::FastCommitRecord> fast_commits;
  std::vector<model::FullCommitRecord> full_commits;
  // how long the calls took that model::SyncCalls counts; the list, in order of their ends, is kept
  // when asked for
  Latency latency;
  std::vector<SyncTime> sync_times;
  // what the answer rests on
  InputQuality quality;
  std::vector<std::string> assumed;  // sentences, in a fixed order
  model::Unsupported unsupported;    // what could not be seen, and how often
  // Where an administrator's steps lay between the runs of the command: each run alone. The
  // counters above are their sums; the lists of commits hold what the steps themselves committed as
  // well.
  std::vector<Stage> stages;
};

// One run of the command. Only counters are filled in.
struct Stage {
  std::string admin;  // the step before it, "" for the first
  Prediction counted;
};

// What happened between two readings of one mount, and what two parts come to: model::difference
// and model::sum of the counters, and nothing else.
Prediction difference(const Prediction& later, const Prediction& earlier);
Prediction sum(const Prediction& earlier, const Prediction& later);

// model::named_counters(), then what is unsupported as the group "unsupported".
std::vector<model::NamedCounter> named_counters(const Prediction& prediction);

}  // namespace fcsim::engine
