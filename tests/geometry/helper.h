// Images for the tests, unpacked from tests/geometry/data/ where they may be damaged.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/common/error.h"
#include "sim/machine/geometry/answer.h"
#include "sim/machine/geometry/image.h"
#include "sim/machine/geometry/journal_log.h"
#include "tests/catch.h"
#include "traces/input.h"

namespace fcsim::test {

inline std::string data_file(const std::string& name) {
  return std::string(FCSIM_SOURCE_DIR) + "/tests/geometry/data/" + name;
}

inline std::string read_all(const std::string& path) {
  const auto source = traces::open_source(path);
  std::string text;
  char buffer[65536];
  for (std::size_t count = 0; (count = source->read(buffer, sizeof buffer)) != 0;)
    text.append(buffer, count);
  return text;
}

// A folder for one test, gone with it.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::string(FCSIM_BINARY_DIR) + "/test-files/geometry-" + name + "-" +
              std::to_string(getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(file(name)).parent_path());
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

 private:
  std::string path_;
};

// The defaults, with the kernel rules of the source tree.
inline configuration::LoadedConfiguration configured(const std::vector<std::string>& settings = {},
                                                     const std::vector<std::string>& files = {}) {
  configuration::LoadRequest request;
  request.settings = settings;
  request.files = files;
  request.directories = {std::string(FCSIM_SOURCE_DIR) + "/configs"};
  return configuration::load(request);
}

inline std::vector<machine::geometry::LogRecord> log_of(machine::geometry::Image& image,
                                                        machine::geometry::LogScope scope) {
  std::vector<machine::geometry::LogRecord> records;
  machine::geometry::LogRequest request;
  request.scope = scope;
  request.area_blocks = image.filesystem().journal->fast_commit_blocks;
  request.record = [&](const machine::geometry::LogRecord& record) { records.push_back(record); };
  machine::geometry::read_log(*image.filesystem().journal, *image.journal(), request);
  return records;
}

inline bool any_contains(const std::vector<std::string>& sentences, const std::string& words) {
  for (const std::string& sentence : sentences)
    if (sentence.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace fcsim::test
