#include "sim/engine/counters.h"

#include "sim/questions/validate/snapshot_names.h"

namespace fcsim::engine {

std::vector<Counter> counters_of(const Prediction& prediction) {
  std::vector<Counter> counters = {{"commits", prediction.commits},
                                   {"ineligible", prediction.ineligible},
                                   {"numblks", prediction.numblks}};
  for (const auto& [reason, count] : prediction.reasons)
    if (count != 0) counters.push_back({"reasons." + reason, count});
  if (prediction.has_snapshot)
    for (const questions::validate::SnapshotName& name : questions::validate::kSnapshotNames)
      counters.push_back({"snapshot." + std::string(name.text), prediction.snapshot.*name.member});
  counters.push_back({"transactions", prediction.transactions});
  counters.push_back({"requested", prediction.requested});
  counters.push_back({"max_transaction_blocks", prediction.max_transaction_blocks});
  return counters;
}

}  // namespace fcsim::engine
