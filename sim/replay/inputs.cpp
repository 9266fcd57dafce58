#include "sim/replay/inputs.h"

#include <algorithm>
#include <filesystem>

#include "model/common/error.h"
#include "sim/machine/truth.h"
#include "traces/bundle/bundle.h"

namespace fcsim::replay {

namespace {

// The files of one trace are read beside each other, so a file given twice would count twice.
void refuse_twins(const std::vector<std::string>& given) {
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      std::error_code error;
      if (given[i] == given[k] || std::filesystem::equivalent(given[i], given[k], error))
        throw model::InputError({given[i], 0, 0}, "is given twice; it would be counted twice");
    }
}

}  // namespace

bool Inputs::can_be_read_again() const {
  // A pipe named by its path (/dev/stdin, a process substitution) is not a regular file either.
  return std::all_of(trace_files.begin(), trace_files.end(), [](const std::string& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error);
  });
}

Inputs find_inputs(const std::vector<std::string>& given) {
  Inputs inputs;
  std::error_code error;  // what cannot be looked up is reported where it is opened
  if (given.size() == 1 && std::filesystem::is_directory(given.front(), error)) {
    const traces::bundle::Bundle bundle = traces::bundle::find_bundle(given.front());
    inputs.trace_files = {bundle.trace};
    inputs.environment = bundle.environment;
    inputs.manifest = bundle.manifest;
    inputs.truth = bundle.truth;
    return inputs;
  }
  for (const std::string& path : given)
    if (std::filesystem::is_directory(path, error))
      throw model::InputError({path, 0, 0}, "is a folder; a bundle is given alone");
  refuse_twins(given);
  inputs.trace_files = given;
  return inputs;
}

std::string normal_mount_point(const std::string& path) {
  std::error_code error;
  std::filesystem::path normal = path;
  if (normal.is_relative()) normal = std::filesystem::absolute(normal, error);
  std::string text = normal.lexically_normal().string();
  while (text.starts_with("//")) text.erase(0, 1);
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

model::Time end_of_observation(const Inputs& inputs, model::Time end_of_trace) {
  if (inputs.truth.empty() || end_of_trace == 0) return end_of_trace;
  const model::Time read_at = machine::read_truth(inputs.truth).read_at.value_or(end_of_trace);
  if (read_at > end_of_trace && end_of_trace < read_at - kLongestGap)
    throw model::InputError({inputs.truth, 0, 0},
                            "read_at is more than a year after the last call");
  return std::max(end_of_trace, read_at);
}

}  // namespace fcsim::replay
