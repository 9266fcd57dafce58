// Configuration files for tests, written where nothing else lies.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/configuration/configuration.h"

namespace fcsim::test {

// A folder of its own that goes with the object.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::path(FCSIM_BINARY_DIR) / "test-files" / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string source_configs() {
  return std::string(FCSIM_SOURCE_DIR) + "/configs";
}

// Loads settings, as after --set, on top of the defaults.
inline configuration::LoadedConfiguration load_settings(std::vector<std::string> settings) {
  configuration::LoadRequest request;
  request.settings = std::move(settings);
  request.directories = {source_configs()};
  return configuration::load(request);
}

inline configuration::LoadedConfiguration load_file(const std::string& file,
                                                    std::vector<std::string> settings = {}) {
  configuration::LoadRequest request;
  request.files = {file};
  request.settings = std::move(settings);
  request.directories = {source_configs()};
  return configuration::load(request);
}

// The message of the InputError that loading `text` as a file "t.toml" ends in, without the folder.
inline std::string error_of(const std::string& text) {
  const Folder folder("configuration-error");
  const std::string file = folder.write("t.toml", text);
  try {
    load_file(file);
  } catch (const model::InputError& error) {
    const std::string message = error.what();
    return message.starts_with(folder.path()) ? message.substr(folder.path().size() + 1) : message;
  }
  return "no error";
}

inline std::string error_of_setting(const std::string& setting) {
  try {
    load_settings({setting});
  } catch (const model::InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace fcsim::test
