// Predictions of synthetic workloads, without any file but the bundle's own.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/replay/session.h"
#include "sim/workload/bundle.h"

namespace fcsim::test {

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// A folder of this test's own.
inline std::string scratch(const std::string& name) {
  return std::string(FCSIM_BINARY_DIR) + "/test-files/workload/" + name;
}

inline std::string text_of(const workload::WorkloadRequest& request) {
  std::string text;
  workload::write_workload(request, [&](std::string_view piece) { text += piece; });
  return text;
}

inline std::string make_bundle(const std::string& folder, const workload::WorkloadRequest& workload,
                               std::optional<std::int64_t> fast_commit_kib = {}) {
  workload::WorkloadBundleRequest request;
  request.workload = workload;
  request.folder = scratch(folder);
  request.fast_commit_kib = fast_commit_kib;
  request.replace = true;
  workload::write_workload_bundle(request);
  return request.folder;
}

inline replay::Session predict(const std::string& bundle, const std::string& profile = "",
                               std::vector<std::string> settings = {}) {
  replay::SessionRequest request;
  request.inputs = {bundle};
  request.configuration.profile = profile;
  request.configuration.settings = std::move(settings);
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.strict = true;
  return replay::predict(request);
}

}  // namespace fcsim::test
