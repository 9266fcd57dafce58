// Bytes of a trace: a file, standard input or memory, decompressed where needed, and its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace fcsim::traces {

// A stream of bytes, read once from front to back.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource();

  // Reads at most `size` bytes; 0 only at the end. Throws InputError.
  virtual std::size_t read(char* target, std::size_t size) = 0;

  // Not empty after the end of a source that was cut: what is missing.
  [[nodiscard]] virtual std::string_view shortfall() const { return {}; }
};

// What a source's bytes were, as stored; complete once read() has returned 0.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint64_t xxh64 = 0;  // seed 0
};

// A file or, as "-", standard input; what begins with zstd's magic number is decompressed on the
// way. Throws InputError for what cannot be opened or is not a file. Without `keep_open` a regular
// file is opened anew for each read, so that there may be more sources than descriptors.
// `fingerprint`, if given, is filled while the source is read.
std::unique_ptr<ByteSource> open_source(const std::string& path, bool keep_open = true,
                                        std::shared_ptr<Fingerprint> fingerprint = nullptr);

// The same for bytes in memory.
std::unique_ptr<ByteSource> open_memory(std::string bytes, std::string name);

// Reads `size` bytes, fewer only where the source ends.
std::string read_head(ByteSource& source, std::size_t size);

// A source that yields `head`, then what is left of `rest`.
std::unique_ptr<ByteSource> put_back(std::string head, std::unique_ptr<ByteSource> rest);

// Cuts a source into lines. Memory is one buffer, which grows only for lines longer than it.
class LineInput {
 public:
  // Lines longer than this are cut: a file without line ends must not fill the memory.
  static constexpr std::size_t kLineMaximum = std::size_t{64} << 20;

  // Bytes that may be read (not used) after the end of any line, for wide loads.
  static constexpr std::size_t kSlack = 64;

  explicit LineInput(std::unique_ptr<ByteSource> source);

  // The next line without its line feed, valid until the next call; false at the end.
  bool next(std::string_view& line) {
    const char* const begin = buffer_.get() + begin_;
    const std::size_t size = end_ - begin_;
    const void* const found = std::memchr(begin, '\n', size);
    if (found == nullptr) return next_across_reads(line);
    const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    line = std::string_view(begin, length);
    begin_ += length + 1;
    return true;
  }

  // True if the line returned last was the last and had no line feed.
  [[nodiscard]] bool ended_within_line() const { return ended_within_line_; }
  [[nodiscard]] const ByteSource& source() const { return *source_; }

 private:
  bool next_across_reads(std::string_view& line);
  void make_room();
  void skip_to_line_end();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool ended_within_line_ = false;
};

}  // namespace fcsim::traces
