// Where recordings lie: those bundled with the source, and a larger corpus beside it if there is
// one.
#pragma once

#include <filesystem>
#include <string>

#include "sim/questions/validate/validate.h"

namespace fcsim::test {

inline std::string bundles_folder() {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/bundles";
}

// For tests marked [shared], which do not run where there is none (tests/main.cpp).
inline std::string corpus_folder() {
  return std::filesystem::canonical(std::string(FCSIM_SOURCE_DIR) + "/../shared/corpus").string();
}

inline questions::validate::ValidateRequest validate_request(const std::string& folder) {
  questions::validate::ValidateRequest request;
  request.paths = {folder};
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  request.threads = 2;
  return request;
}

}  // namespace fcsim::test
