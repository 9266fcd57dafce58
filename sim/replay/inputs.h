// What the arguments of a command stand for: a bundle's files, or those of a bare trace.
#pragma once

#include <string>
#include <vector>

#include "model/common/operation.h"

namespace fcsim::replay {

// No recording sleeps longer; the timers of more would take minutes to run through.
inline constexpr model::Time kLongestGap = model::Time{365} * 86400 * 1'000'000'000;

// Paths; empty where there is none.
struct Inputs {
  std::vector<std::string> trace_files;  // "-": standard input
  std::string environment;               // env.toml
  std::string manifest;
  std::string truth;

  // False where the trace is gone once it was read.
  [[nodiscard]] bool can_be_read_again() const;
};

// `given`: one bundle folder, or the files of one trace. Throws InputError.
Inputs find_inputs(const std::vector<std::string>& given);

// An absolute path without "//", "/./", "/../" and a "/" at its end, as the kernel shows mount
// points. A relative path begins at the working directory.
std::string normal_mount_point(const std::string& path);

// The machine's timers go on until the counters were read, if the bundle says when that was.
model::Time end_of_observation(const Inputs& inputs, model::Time end_of_trace);

}  // namespace fcsim::replay
