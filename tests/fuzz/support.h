// What the targets share: files in memory, predictions of them, and how a target fails.
#pragma once

#include <string>
#include <string_view>

#include "model/common/error.h"
#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"

namespace fcsim::fuzz {

// A file without a name, which can be opened by path() as often as wanted.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Throws std::logic_error, which no target catches.
void require(bool condition, const char* what);

// An InputError is an answer as well; it has to say something.
template <class Action>
void answer(const Action& action) {
  try {
    action();
  } catch (const model::InputError& error) {
    require(*error.what() != 0, "an error without words");
  }
}

std::string source_path(const std::string& relative);

// Of the bundle tests/bundles/creat, read once.
const configuration::LoadedConfiguration& creat_configuration();

// What is predicted for the trace at `path`, and whether its sums are right. Throws InputError.
engine::Prediction predict(const std::string& path);

}  // namespace fcsim::fuzz
