#include "traces/compressed.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "model/common/error.h"

namespace fcsim::traces {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)),
        name_(std::move(name)),
        stream_(ZSTD_createDStream()),
        chunk_(ZSTD_DStreamInSize(), '\0') {}

  std::size_t read(char* target, std::size_t size) override {
    ZSTD_outBuffer output{target, size, 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !refill()) {
        // Nothing more comes in, but the decoder may still hold bytes that had no room before.
        if (!pending_output_) break;
      }
      const std::size_t before = input_.pos;
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &output, &input_);
      consumed_ += input_.pos - before;
      if (ZSTD_isError(result) != 0U) {
        throw model::InputError({name_, 0, consumed_ + 1},
                                std::string("damaged zstd data: ") + ZSTD_getErrorName(result));
      }
      // After the last frame the decoder asks for another one.
      if (input_.pos != before || output.pos != 0) frame_complete_ = result == 0;
      pending_output_ = output.pos == output.size;
    }
    return output.pos;
  }

  [[nodiscard]] std::string_view shortfall() const override {
    if (frame_complete_) return {};
    return "the zstd data ends in the middle of a frame: the rest of the trace is missing";
  }

 private:
  struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    const std::size_t count = compressed_->read(chunk_.data(), chunk_.size());
    input_ = {chunk_.data(), count, 0};
    return count != 0;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  std::string chunk_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  std::uint64_t consumed_ = 0;
  bool frame_complete_ = false;
  bool pending_output_ = false;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), chunk_(kChunkBytes, '\0') {
    constexpr int kGzip = 16;
    if (inflateInit2(&stream_, kGzip + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* target, std::size_t size) override {
    if (size > std::numeric_limits<uInt>::max()) size = std::numeric_limits<uInt>::max();
    stream_.next_out = reinterpret_cast<Bytef*>(target);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0 && !refill()) break;
      if (complete_) begin_member();
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END)
        complete_ = true;
      else if (result != Z_OK && result != Z_BUF_ERROR)
        fail();
    }
    return size - stream_.avail_out;
  }

  [[nodiscard]] std::string_view shortfall() const override {
    if (complete_) return {};
    return "the gzip data ends too early: the rest of the trace is missing";
  }

 private:
  bool refill() {
    const std::size_t count = compressed_->read(chunk_.data(), chunk_.size());
    consumed_ += count;
    stream_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count != 0;
  }

  // A file may be several compressed ones, one after the other.
  void begin_member() {
    inflateReset(&stream_);
    complete_ = false;
  }

  [[noreturn]] void fail() const {
    throw model::InputError({name_, 0, consumed_ - stream_.avail_in + 1},
                            std::string("damaged gzip data: ") +
                                (stream_.msg == nullptr ? "not a stream" : stream_.msg));
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::string chunk_;
  z_stream stream_{};
  std::uint64_t consumed_ = 0;
  bool complete_ = false;
};

class XzSource final : public ByteSource {
 public:
  XzSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), chunk_(kChunkBytes, '\0') {
    constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;  // xz -9 needs 65 MiB
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw std::bad_alloc();
  }
  ~XzSource() override { lzma_end(&stream_); }

  std::size_t read(char* target, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(target);
    stream_.avail_out = size;
    while (stream_.avail_out == size && !complete_ && !cut_) {
      if (stream_.avail_in == 0 && !at_end_) refill();
      const lzma_ret result = lzma_code(&stream_, at_end_ ? LZMA_FINISH : LZMA_RUN);
      complete_ = result == LZMA_STREAM_END;
      cut_ = result == LZMA_BUF_ERROR && at_end_;
      if (result != LZMA_OK && !complete_ && result != LZMA_BUF_ERROR) fail(result);
    }
    return size - stream_.avail_out;
  }

  [[nodiscard]] std::string_view shortfall() const override {
    if (complete_) return {};
    return "the xz data ends too early: the rest of the trace is missing";
  }

 private:
  void refill() {
    const std::size_t count = compressed_->read(chunk_.data(), chunk_.size());
    consumed_ += count;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(chunk_.data());
    stream_.avail_in = count;
    at_end_ = count == 0;
  }

  [[noreturn]] void fail(lzma_ret result) const {
    const char* const why = result == LZMA_MEMLIMIT_ERROR  ? "it needs more than 256 MiB of memory"
                            : result == LZMA_OPTIONS_ERROR ? "made with options that are not known"
                                                           : "not a stream";
    throw model::InputError({name_, 0, consumed_ - stream_.avail_in + 1},
                            std::string("damaged xz data: ") + why);
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::string chunk_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::uint64_t consumed_ = 0;
  bool at_end_ = false;
  bool complete_ = false;
  bool cut_ = false;
};

[[noreturn]] void refuse(const std::string& name, const char* what, const char* command) {
  throw model::InputError({name, 0, 0}, std::string("is compressed with ") + what +
                                            ", which is not read; unpack it: " + command);
}

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                         const std::string& name) {
  using namespace std::string_view_literals;
  const std::string head = read_head(*source, 6);
  auto whole = put_back(head, std::move(source));
  if (head.starts_with("\x28\xb5\x2f\xfd"sv))
    return std::make_unique<ZstdSource>(std::move(whole), name);
  if (head.starts_with("\x1f\x8b\x08"sv))
    return std::make_unique<GzipSource>(std::move(whole), name);
  if (head == "\xfd\x37zXZ\0"sv) return std::make_unique<XzSource>(std::move(whole), name);
  if (head.starts_with("BZh"sv)) refuse(name, "bzip2", "bunzip2 FILE");
  if (head.starts_with("\x04\x22\x4d\x18"sv)) refuse(name, "lz4", "lz4 -d FILE");
  if (head.starts_with("PK\x03\x04"sv)) refuse(name, "zip", "unzip FILE");
  return whole;
}

}  // namespace fcsim::traces
