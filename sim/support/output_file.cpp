#include "sim/support/output_file.h"

#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "model/common/error.h"

namespace fcsim::support {

class OutputFile::Compressor {
 public:
  Compressor() : context_(ZSTD_createCCtx()), buffer_(ZSTD_CStreamOutSize()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~Compressor() { ZSTD_freeCCtx(context_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Hands what comes out to `put`; false where zstd failed.
  template <class Put>
  bool compress(std::string_view bytes, ZSTD_EndDirective end, const Put& put) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_, &output, &input, end);
      if (ZSTD_isError(left) != 0) return false;
      put(buffer_.data(), output.pos);
      if (end == ZSTD_e_continue ? input.pos == input.size : left == 0) return true;
    }
  }

 private:
  ZSTD_CCtx* context_;
  std::vector<char> buffer_;
};

OutputFile::OutputFile(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wbe")) {
  if (file_ == nullptr) fail("cannot be written");
  if (path.ends_with(".zst")) compressor_ = std::make_unique<Compressor>();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::write(std::string_view bytes) {
  if (!compressor_) return write_raw(bytes.data(), bytes.size());
  const auto put = [this](const char* out, std::size_t count) { write_raw(out, count); };
  if (!compressor_->compress(bytes, ZSTD_e_continue, put)) fail("cannot be compressed");
}

void OutputFile::flush() {
  const auto put = [this](const char* out, std::size_t count) { write_raw(out, count); };
  if (compressor_ && !compressor_->compress({}, ZSTD_e_flush, put)) fail("cannot be compressed");
  if (std::fflush(file_) != 0) fail("cannot be written");
}

void OutputFile::close() {
  const auto put = [this](const char* out, std::size_t count) { write_raw(out, count); };
  if (compressor_ && !compressor_->compress({}, ZSTD_e_end, put)) fail("cannot be compressed");
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail("cannot be written");
}

void OutputFile::write_raw(const char* bytes, std::size_t count) {
  if (std::fwrite(bytes, 1, count, file_) != count) fail("cannot be written");
}

void OutputFile::fail(const std::string& what) const {
  throw model::InputError({path_, 0, 0}, what + ": " + std::strerror(errno));
}

}  // namespace fcsim::support
