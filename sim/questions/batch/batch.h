// Many bundles under many settings, into a database; begins where an earlier run was interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/questions/batch/work_list.h"

namespace fcsim::questions::batch {

struct BatchProgress {
  std::size_t bundles = 0, bundles_finished = 0;  // bundles that are split count once a part
  std::size_t rows = 0;                           // to be there in the end
  std::size_t kept = 0;                           // of these, were there and still hold
  std::size_t made = 0;                           // of these, made and committed by this run
  std::size_t errors = 0;                         // of those kept and made
  double share_open = 1;  // how much of the work that is not kept is still to do, 0 to 1, estimated
  double share_made = 0;  // how much this run has made
};

struct BatchRequest {
  std::vector<std::string> folders;          // bundles and folders with bundles
  configuration::LoadRequest configuration;  // what all settings share
  std::vector<sweep::Parameter> parameters;  // the grid
  std::string mount_point;                   // as in PredictManyRequest
  bool strict = false;
  Shard shard;
  unsigned threads = 1;  // >= 1
  std::string database;  // path
  std::string version;   // of this fcsim: rows of another one are made anew
  // Called on the calling thread when rows were committed and a few times a second.
  std::function<void(const BatchProgress&)> progress;
};

// Returns when all rows of this shard are in the database, with an error where a bundle or a
// setting failed. A row is kept if its input, configuration and version are still the same; the
// others are made and replace what was there. Rows of other bundles and settings stay untouched.
// Rows are committed as soon as nothing else waits to be written, so what a kill costs is what was
// being predicted and the last commit. Throws InputError for what is wrong with the folders or the
// database; std::bad_alloc where memory ran out; all that was committed stays.
BatchProgress run_batch(const BatchRequest& request);

}  // namespace fcsim::questions::batch
