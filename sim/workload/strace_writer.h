// Writes system calls as `strace -f -ttt -T -y` prints them.
//
// One call follows the other, whichever process makes it: a clock runs on by the length of each
// call and a short pause, both with a little seeded scatter, so that the same seed gives the same
// text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/random.h"

namespace fcsim::workload {

inline constexpr std::uint64_t kBlock = 4096;  // bytes that a program writes at a time

using TextSink = std::function<void(std::string_view)>;

struct StraceClock {
  std::int64_t start_ns = 1'800'000'000'000'000'000;  // CLOCK_REALTIME of the first call
  std::int64_t sync_ns = 700'000;                     // how long a sync call takes
};

class StraceWriter {
 public:
  static constexpr std::int32_t kFirstPid = 1000;

  StraceWriter(TextSink sink, std::string mount_point, StraceClock clock, std::uint64_t seed);

  // ---- processes ----
  void exec(std::int32_t pid, std::string_view program);
  std::int32_t fork(std::int32_t parent);  // returns the child's pid
  void exit(std::int32_t pid);

  // ---- descriptors; names are relative to the mount point, which is every process's directory
  // ----
  int open(std::int32_t pid, const std::string& name, std::string_view flags);
  void close(std::int32_t pid, int fd);

  // ---- calls on a descriptor ----
  void write(std::int32_t pid, int fd, std::uint64_t bytes);
  void pwrite(std::int32_t pid, int fd, std::uint64_t bytes, std::uint64_t offset);
  void pread(std::int32_t pid, int fd, std::uint64_t bytes, std::uint64_t offset);
  void ftruncate(std::int32_t pid, int fd, std::uint64_t size);
  void fsync(std::int32_t pid, int fd) { sync_call(pid, "fsync", fd); }
  void fdatasync(std::int32_t pid, int fd) { sync_call(pid, "fdatasync", fd); }
  void syncfs(std::int32_t pid, int fd) { sync_call(pid, "syncfs", fd); }
  void write_out(std::int32_t pid, int fd);  // sync_file_range of the whole file, waiting
  void stat(std::int32_t pid, int fd, std::uint64_t size);

  // ---- names ----
  void rename(std::int32_t pid, const std::string& from, const std::string& to);
  void unlink(std::int32_t pid, const std::string& name);
  void mkdir(std::int32_t pid, const std::string& name);

  void sleep_ns(std::int64_t length) { now_ += length; }
  void finish();  // hands over what is still in the buffer

 private:
  void begin(std::int32_t pid);
  void end(std::int64_t result, std::int64_t length_ns);
  void end_call(std::int64_t length_ns);
  void sync_call(std::int32_t pid, std::string_view name, int fd);
  void put(std::string_view text) { text_ += text; }
  void put(std::uint64_t number);
  void put_fd(std::int32_t pid, int fd);
  void put_directory();
  void put_name(const std::string& name);
  void put_data(std::uint64_t bytes);
  void put_microseconds(std::int64_t ns);
  std::int64_t scattered(std::int64_t length_ns);

  TextSink sink_;
  std::string mount_point_;
  StraceClock clock_;
  Random random_;
  std::int64_t now_;
  std::string text_;
  std::size_t line_start_ = 0;
  std::int32_t next_pid_ = kFirstPid + 1;
  std::map<std::int32_t, std::vector<std::string>> tables_;  // pid -> fd -> path; "": free
};

}  // namespace fcsim::workload
