// One writer a database at a time; readers are free to look meanwhile.
#pragma once

#include <string>

namespace fcsim::questions::batch {

// Holds DATABASE-lock, locked with flock(2), from construction to destruction. The system drops the
// lock when the process dies, however it dies; the file may then remain and does no harm.
class WriterLock {
 public:
  // Throws InputError naming the database where another process holds the lock or where the file
  // cannot be made.
  explicit WriterLock(const std::string& database);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace fcsim::questions::batch
