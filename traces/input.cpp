#include "traces/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/common/error.h"
#include "traces/compressed.h"
#include "traces/text_encoding.h"

namespace fcsim::traces {
namespace {

// Small enough to stay in the processor's second-level cache between the kernel's copy and the
// parser, which makes reading as fast as a mapping within a few percent of the parsing; and a file
// that shrinks meanwhile is the end of the input, not a SIGBUS.
constexpr std::size_t kBufferSize = std::size_t{256} << 10;

class FileSource final : public ByteSource {
 public:
  FileSource(const std::string& path, bool keep_open) : path_(path) {
    if (path == "-") {
      path_ = "standard input";
      descriptor_ = STDIN_FILENO;
      return;
    }
    open();
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) fail(EISDIR);
      keep_open_ = keep_open || !S_ISREG(status.st_mode);
    }
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
    if (!keep_open_) close();
  }

  ~FileSource() override { close(); }

  std::size_t read(char* target, std::size_t size) override {
    if (!keep_open_) open();
    for (;;) {
      const ssize_t got = keep_open_
                              ? ::read(descriptor_, target, size)
                              : ::pread(descriptor_, target, size, static_cast<off_t>(offset_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      offset_ += static_cast<std::uint64_t>(got);
      if (!keep_open_) close();
      return static_cast<std::size_t>(got);
    }
  }

 private:
  void open() {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  }

  void close() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
  }

  [[noreturn]] void fail(int error) {
    close();
    throw model::InputError({path_, 0, 0},
                            "cannot read the trace: " + std::string(std::strerror(error)));
  }

  std::string path_;
  int descriptor_ = -1;
  bool keep_open_ = true;
  std::uint64_t offset_ = 0;  // of the next byte
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* target, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - offset_);
    bytes_.copy(target, count, offset_);
    offset_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t offset_ = 0;
};

// Puts the bytes that were read to recognise the format in front of the rest.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(char* target, std::size_t size) override {
    if (offset_ == prefix_.size()) return rest_->read(target, size);
    const std::size_t count = std::min(size, prefix_.size() - offset_);
    prefix_.copy(target, count, offset_);
    offset_ += count;
    return count;
  }

  [[nodiscard]] std::string_view shortfall() const override { return rest_->shortfall(); }

 private:
  std::string prefix_;
  std::size_t offset_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// Hashes what passes through.
class FingerprintedSource final : public ByteSource {
 public:
  FingerprintedSource(std::unique_ptr<ByteSource> source, std::shared_ptr<Fingerprint> fingerprint)
      : source_(std::move(source)),
        fingerprint_(std::move(fingerprint)),
        state_(XXH64_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH64_reset(state_.get(), 0);
  }

  std::size_t read(char* target, std::size_t size) override {
    const std::size_t got = source_->read(target, size);
    XXH64_update(state_.get(), target, got);
    fingerprint_->bytes += got;
    if (got == 0) fingerprint_->xxh64 = XXH64_digest(state_.get());
    return got;
  }

 private:
  struct FreeState {
    void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
  };

  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<Fingerprint> fingerprint_;
  std::unique_ptr<XXH64_state_t, FreeState> state_;
};

}  // namespace

ByteSource::~ByteSource() = default;

std::string read_head(ByteSource& source, std::size_t size) {
  std::string head(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t got = source.read(head.data() + filled, size - filled);
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

std::unique_ptr<ByteSource> put_back(std::string head, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixedSource>(std::move(head), std::move(rest));
}

std::unique_ptr<ByteSource> open_source(const std::string& path, bool keep_open,
                                        std::shared_ptr<Fingerprint> fingerprint) {
  std::unique_ptr<ByteSource> file = std::make_unique<FileSource>(path, keep_open);
  if (fingerprint != nullptr)
    file = std::make_unique<FingerprintedSource>(std::move(file), std::move(fingerprint));
  return as_utf8(decompressed(std::move(file), path));
}

std::unique_ptr<ByteSource> open_memory(std::string bytes, std::string name) {
  return as_utf8(decompressed(std::make_unique<MemorySource>(std::move(bytes)), name));
}

LineInput::LineInput(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferSize + kSlack)),
      capacity_(kBufferSize) {
  assert(source_ != nullptr);
}

// Moves the beginning of the unfinished line to the front of the buffer and makes the buffer
// larger where that alone fills it.
void LineInput::make_room() {
  const std::size_t size = end_ - begin_;
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, size);
  } else if (size == capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_ + kSlack);
    std::memcpy(larger.get(), buffer_.get(), size);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  }
  begin_ = 0;
  end_ = size;
}

bool LineInput::next_across_reads(std::string_view& line) {
  std::size_t searched = end_ - begin_;
  while (!at_end_ && end_ - begin_ < kLineMaximum) {
    if (end_ == capacity_ || searched == 0) make_room();
    const std::size_t got = source_->read(buffer_.get() + end_, capacity_ - end_);
    if (got == 0) {
      at_end_ = true;
      break;
    }
    end_ += got;
    const char* const fresh = buffer_.get() + begin_ + searched;
    const void* const found = std::memchr(fresh, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      const char* const begin = buffer_.get() + begin_;
      line = std::string_view(begin,
                              static_cast<std::size_t>(static_cast<const char*>(found) - begin));
      begin_ += line.size() + 1;
      return true;
    }
    searched = end_ - begin_;
  }
  if (begin_ == end_) return false;
  line = std::string_view(buffer_.get() + begin_, std::min(end_ - begin_, kLineMaximum));
  begin_ = end_;
  if (at_end_) {
    ended_within_line_ = true;
  } else {
    skip_to_line_end();
  }
  return true;
}

// After a line that was cut for its length: reads on, into a part of the buffer that the line
// does not occupy, until the line ends.
void LineInput::skip_to_line_end() {
  std::array<char, 4096> discarded;
  for (;;) {
    const std::size_t got = source_->read(discarded.data(), discarded.size());
    if (got == 0) {
      at_end_ = true;
      return;
    }
    const void* const found = std::memchr(discarded.data(), '\n', got);
    if (found == nullptr) continue;
    const std::size_t used =
        static_cast<std::size_t>(static_cast<const char*>(found) - discarded.data()) + 1;
    source_ = std::make_unique<PrefixedSource>(std::string(discarded.data() + used, got - used),
                                               std::move(source_));
    return;
  }
}

}  // namespace fcsim::traces
