#include "sim/support/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "model/common/error.h"

namespace fcsim::support {
namespace {

constexpr std::size_t kBufferSize = std::size_t{256} << 10;

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

NewFile::NewFile(const std::string& path) : path_(path), written_path_(path) {
  int flags = O_WRONLY | O_CLOEXEC;
  if (!is_special(path)) {
    written_path_ += ".partial-" + std::to_string(::getpid());
    flags |= O_CREAT | O_EXCL;
  }
  descriptor_ = ::open(written_path_.c_str(), flags, 0666);
  if (descriptor_ < 0) fail();
  buffer_.reserve(kBufferSize);
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (written_path_ != path_) ::unlink(written_path_.c_str());
}

void NewFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) {
    write_out(buffer_);
    buffer_.clear();
  }
  if (bytes.size() >= kBufferSize)
    write_out(bytes);
  else
    buffer_ += bytes;
}

void NewFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void NewFile::commit() {
  write_out(buffer_);
  const bool renamed = written_path_ != path_;
  // A delayed fault of the device shows here; after the rename it would be too late.
  if (renamed && ::fsync(descriptor_) != 0) fail();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  const bool complete = ::close(descriptor) == 0 &&
                        (!renamed || std::rename(written_path_.c_str(), path_.c_str()) == 0);
  if (complete) return;
  const int error = errno;
  if (renamed) ::unlink(written_path_.c_str());
  errno = error;
  fail();
}

void NewFile::fail() const {
  throw model::InputError({path_, 0, 0}, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace fcsim::support
