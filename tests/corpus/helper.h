// Where recordings lie: those bundled with the source, and a larger corpus beside it if there is
// one.
#pragma once

#include <filesystem>
#include <iostream>
#include <string>

#include "sim/validation/validate.h"

namespace fcsim::test {

inline std::string bundles_folder() {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles";
}

// "" where there is no corpus, after saying so.
inline std::string corpus_folder() {
  const std::string folder = std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus";
  if (std::filesystem::is_directory(folder)) return std::filesystem::canonical(folder).string();
  std::cout << "skipped: there is no corpus at ../shared/corpus\n";
  return "";
}

inline sim::ValidateRequest validate_request(const std::string& folder) {
  sim::ValidateRequest request;
  request.paths = {folder};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.threads = 2;
  return request;
}

}  // namespace fcsim::test
