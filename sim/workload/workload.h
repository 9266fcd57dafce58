// Synthetic workloads: what a program of a known shape would have left in an strace recording.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/strace_writer.h"

namespace fcsim::workload {

enum class ParameterUnit : std::uint8_t { count, bytes, microseconds, flag };

// A number that shapes workloads. Which of them a workload takes, its defaults tell.
struct WorkloadParameter {
  std::string_view name;
  ParameterUnit unit = ParameterUnit::count;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::string_view documentation;
};

// All parameters, in the order of the manual.
const std::vector<WorkloadParameter>& workload_parameters();

using ParameterValues = std::map<std::string, std::uint64_t, std::less<>>;

struct WorkloadRequest {
  std::string name;
  ParameterValues given;  // by name; what is missing has the workload's default
};

struct WorkloadSummary {
  std::string_view name;
  std::string_view summary;
  std::vector<std::pair<std::string_view, std::uint64_t>> defaults;
};

// All workloads, in the order of the manual.
const std::vector<WorkloadSummary>& workloads();

// The request with every parameter of the workload. Throws InputError for an unknown workload, a
// parameter that it does not take, and values out of bounds or at odds with each other.
WorkloadRequest completed(const WorkloadRequest& request);

// Where the traced file system was mounted.
std::string workload_mount_point(const WorkloadRequest& request);

// Hands the text of the trace to `sink`, piece by piece. The same request gives the same bytes on
// every machine. Throws InputError as completed() does.
void write_workload(const WorkloadRequest& request, const TextSink& sink);

}  // namespace fcsim::workload
