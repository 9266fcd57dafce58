// A file that appears under its name only once it is complete.
#pragma once

#include <string>
#include <string_view>

namespace fcsim::support {

// Writes beside the name that the file is to have and renames at the end: no reader sees half a
// file, and what was there stays until then. Where the name is that of a device or a pipe, it is
// written to directly.
class NewFile {
 public:
  // Throws InputError, as all here do, where the disk is full and the like.
  explicit NewFile(const std::string& path);
  // Without commit() nothing is left.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void write_out(std::string_view bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  std::string written_path_;  // path_ itself where that is not a regular file
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace fcsim::support
