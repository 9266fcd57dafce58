// A batch as a job array: a task for each share, in a database of its own, and a merge at the end.
//
// Beside the database of results lies the folder RESULTS.db.tasks with a plan, a script for a task
// (which SLURM_ARRAY_TASK_ID tells which), one for the merge and one that submits both to Slurm.
// A task that is killed and started again goes on where it was; so does one that runs twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/questions/batch/batch.h"

namespace fcsim::questions::batch {

// What is needed beside the batch's own request, whose `shard` is not looked at.
struct JobArrayRequest {
  const BatchRequest& batch;
  std::vector<std::string> parameters;  // -p, as given
  std::string program;                  // path of fcsim
  std::string directory;                // where the tasks run: an absolute path
  std::size_t tasks = 1;                // >= 1
};

// The folder of a batch's job array.
std::string job_array_folder(const std::string& database);

// Deals the work out and writes the folder; what tasks of an earlier array made stays. Throws
// InputError.
void write_job_array(const JobArrayRequest& request);

struct TaskStatus {
  std::uint64_t rows = 0;  // that it is to make
  std::uint64_t done = 0;  // that are there
  std::uint64_t errors = 0;
};

// How far each task is, from what the tasks write beside their databases. Throws InputError where
// there is no job array for the database.
std::vector<TaskStatus> job_array_status(const std::string& database);

// Where a task writes how far it is, which it does now and then and at its end. Throws InputError.
void write_progress(const std::string& path, const BatchProgress& progress);

}  // namespace fcsim::questions::batch
