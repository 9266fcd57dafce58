#include "sim/questions/batch/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "model/common/error.h"

namespace fcsim::questions::batch {
namespace {

// Whether the path still leads to what was opened: the holder before may have removed it.
bool is_still_there(const std::string& path, int descriptor) {
  struct stat by_path {};
  struct stat opened {};
  return stat(path.c_str(), &by_path) == 0 && fstat(descriptor, &opened) == 0 &&
         by_path.st_dev == opened.st_dev && by_path.st_ino == opened.st_ino;
}

[[noreturn]] void fail(const std::string& database, const std::string& path, int error) {
  throw model::InputError({database, 0, 0},
                          "cannot be written: " + path + ": " + std::strerror(error));
}

}  // namespace

WriterLock::WriterLock(const std::string& database) {
  std::error_code unresolved;  // two paths to one database must meet at one lock
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(database, unresolved);
  path_ = (unresolved ? database : resolved.string()) + "-lock";
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) fail(database, path_, errno);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      if (error == EWOULDBLOCK)
        throw model::InputError({database, 0, 0},
                                "another fcsim is writing to this database (it holds " + path_ +
                                    "); wait for its end or name another database");
      fail(database, path_, error);
    }
  } while (!is_still_there(path_, descriptor_));
}

WriterLock::~WriterLock() {
  unlink(path_.c_str());  // while it is held, so that no other writer's is removed
  close(descriptor_);
}

}  // namespace fcsim::questions::batch
