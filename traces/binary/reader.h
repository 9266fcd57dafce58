// Reads a trace in its binary form, docs/formats.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/binary/format.h"
#include "traces/input.h"
#include "traces/reader.h"

struct ZSTD_DCtx_s;

namespace fcsim::traces::binary {

// True if a file that begins with `head` (kMagic's size, or all of a shorter file) is meant to be
// in the binary form: damage to the magic itself is still told as damage.
bool looks_binary(std::string_view head);

// Errors are InputErrors with the offset of the block, or of the record within a block that is not
// compressed, as Position::column says. Nothing of a block is used before its checksum was found
// right; what is inconsistent after a right checksum is refused too.
class Reader final : public TraceReader {
 public:
  // Reads the header. `path` as given: "-" is standard input.
  Reader(std::unique_ptr<ByteSource> bytes, const std::string& path, const ReaderOptions& options);
  ~Reader() override;

  bool next(Event& event) override {
    while (at_ == end_) {
      if (!load_block()) return false;
    }
    decode(event);
    return true;
  }

  [[nodiscard]] std::vector<std::string> assumed() const override;
  [[nodiscard]] const ReaderStatistics& statistics() const override { return statistics_; }
  [[nodiscard]] std::vector<SourceFile> sources() const override { return sources_; }
  [[nodiscard]] Origin origin() const override { return origin_; }

 private:
  void read_header();
  bool load_block();
  BlockHeader read_block_header();
  std::string_view read_content(const BlockHeader& header);
  void begin_events(const BlockHeader& header, std::string_view content);
  void stop_if_strict(std::string_view content);
  void finish(std::string_view content);
  void decode(Event& event);
  const char* decode_changes(const char* at, Event& event);
  std::size_t read_fully(char* target, std::size_t size);
  void require_all(std::size_t got, std::size_t wanted);
  void end_of_cut_recording();
  [[noreturn]] void refuse(std::uint64_t offset, const std::string& reason) const;
  [[noreturn]] void refuse_record(const char* record, const std::string& reason) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  ReaderOptions options_;
  ReaderStatistics statistics_;
  std::vector<SourceFile> sources_;
  Origin origin_ = Origin::text;
  bool cut_ = false;                // the end of a recording is missing
  std::uint64_t offset_ = 0;        // of the next byte of the file
  std::uint64_t block_offset_ = 0;  // of the block being read, its header
  std::uint32_t next_sequence_ = 0;
  std::uint64_t yielded_ = 0;
  bool finished_ = false;

  // The block being read.
  std::unique_ptr<char[]> stored_;
  std::size_t stored_capacity_ = 0;
  std::unique_ptr<char[]> content_;
  std::size_t content_capacity_ = 0;
  std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> decompressor_;
  std::vector<std::string_view> strings_;  // [0] is the empty one
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool compressed_ = false;
  const char* content_begin_ = nullptr;
  std::uint32_t events_left_ = 0;
  std::array<Event, kSlots> slots_;  // the event that was last in each
  std::uint64_t line_ = 0;           // of the record before
  std::uint64_t start_ns_ = 0;       // likewise
};

}  // namespace fcsim::traces::binary
