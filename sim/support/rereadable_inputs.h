// Makes inputs that can be read only once readable again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/common/error.h"

namespace fcsim::support {

// A file descriptor that is closed with its owner; -1: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// Copies standard input, pipes and the like to temporary files without a name, which are gone when
// this is. Regular files, folders and what does not exist stay what they are.
class RereadableInputs {
 public:
  // Throws InputError where an input cannot be read or the copy not be written.
  explicit RereadableInputs(const std::vector<std::string>& inputs);

  // What to read instead, one for each input.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // `text` with the names of the copies replaced by those of the originals.
  [[nodiscard]] std::string with_original_names(std::string text) const;
  // The same for where an error is.
  [[nodiscard]] model::InputError with_original_names(const model::InputError& error) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> copies_;  // name of the copy, of the original
  std::vector<FileDescriptor> descriptors_;                  // of the copies
};

}  // namespace fcsim::support
