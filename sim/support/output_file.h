// A file that is written from front to back, compressed by zstd where its name ends in .zst.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fcsim::support {

class OutputFile {
 public:
  // Makes or empties the file. Throws InputError.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Throws InputError where the disk is full and the like.
  void write(std::string_view bytes);
  // Brings what was written to the file, so that it can be read up to here. Throws InputError.
  void flush();
  // Completes the file; without it the file is cut. Throws InputError.
  void close();

 private:
  class Compressor;
  void write_raw(const char* bytes, std::size_t count);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace fcsim::support
