// Batches over a few bundles of the repository, in a folder of the test's own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/common/error.h"
#include "sim/questions/batch/batch.h"
#include "sim/questions/batch/export.h"
#include "tests/catch.h"
#include "tests/cli/helper.h"

namespace fcsim::test {

inline const std::string kBundles = std::string(FCSIM_SOURCE_DIR) + "/tests/bundles/";

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
  auto database = questions::batch::ResultDatabase::open(path);
  std::string text;
  const auto sink = [&](std::string_view piece) { text += piece; };
  if (json)
    questions::batch::export_json_lines(database, sink);
  else
    questions::batch::export_csv(database, sink);
  return text;
}

inline std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline questions::batch::BatchRequest request_for(const std::vector<std::string>& folders,
                                                  const std::string& database,
                                                  const std::vector<std::string>& parameters = {}) {
  questions::batch::BatchRequest request;
  request.folders = folders;
  request.configuration.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  for (const std::string& parameter : parameters)
    request.parameters.push_back(questions::sweep::parse_parameter(parameter));
  request.threads = 2;
  request.database = database;
  request.version = "test";
  return request;
}

inline std::string message_of_batch(const questions::batch::BatchRequest& request) {
  try {
    questions::batch::run_batch(request);
  } catch (const model::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace fcsim::test
