// Batches over a few bundles of the repository, in a folder of the test's own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/error.h"
#include "sim/batch/batch.h"
#include "sim/batch/export.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fcsim::test {

// Removed at the end; a new one each time.
class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = std::string(FCSIM_BINARY_DIR) + "/test-files/batch-" + std::to_string(getpid()) + "-" +
            std::to_string(++number);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  // A bundle of tests/bundles, copied.
  void copy_bundle(const std::string& name, const std::string& to) const {
    std::filesystem::create_directories(path_ + "/" + to);
    std::filesystem::copy(std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/" + name,
                          path_ + "/" + to);
  }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string export_text(const std::string& path, bool json = false) {
  auto database = sim::ResultDatabase::open(path);
  std::string text;
  const auto sink = [&](std::string_view piece) { text += piece; };
  if (json)
    sim::export_json_lines(database, sink);
  else
    sim::export_csv(database, sink);
  return text;
}

inline std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline sim::BatchRequest request_for(const std::vector<std::string>& folders,
                                     const std::string& database,
                                     const std::vector<std::string>& parameters = {}) {
  sim::BatchRequest request;
  request.folders = folders;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  for (const std::string& parameter : parameters)
    request.parameters.push_back(sim::parse_parameter(parameter));
  request.threads = 2;
  request.database = database;
  request.version = "test";
  return request;
}

inline std::string message_of_batch(const sim::BatchRequest& request) {
  try {
    sim::run_batch(request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace fcsim::test
