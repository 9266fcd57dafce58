// One bundle under some settings: which rows are still valid, and those that are not, made anew.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/questions/batch/work_list.h"

namespace fcsim::questions::batch {

struct JobRequest {
  const Unit& unit;
  const std::vector<Setting>& settings;       // all of the batch
  const std::vector<std::int64_t>& numbers;   // of the settings in the database
  const std::vector<const RowState*>& known;  // of the unit's settings; nullptr: no such row
  std::string mount_point;
  bool strict = false;
  std::string version;
  unsigned threads = 1;
  std::function<void()> check_stop;  // called now and then; may throw
};

struct JobResult {
  std::vector<ResultRow> rows;  // made anew
  std::size_t kept = 0;
  std::size_t kept_errors = 0;
};

// What is wrong with the bundle or a setting is in the rows. Throws what check_stop throws and
// std::bad_alloc.
JobResult run_job(const JobRequest& request);

}  // namespace fcsim::questions::batch
