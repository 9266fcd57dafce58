// The programs in the kernel: loaded, attached, and the ring buffer that they fill. All of it is
// gone with the object, or with the process, however that ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace fcsim::machine::record::tracepoints {

struct ProbeRequest {
  dev_t device = 0;            // of the file system
  bool everybody = false;      // not the marked processes and their descendants only
  bool whole_mount = true;     // the mount point shows the file system from its root
  std::size_t ring_bytes = 0;  // a power of two
};

// What the walk over all tasks told.
struct Watermark {
  std::uint64_t before = 0;    // calls that began before this time have returned, CLOCK_MONOTONIC
  std::uint64_t produced = 0;  // bytes that were in the ring then, ever
  std::uint64_t consumed = 0;  // ... and had been taken out
};

class Probe {
 public:
  // Why the kernel's tracepoints cannot be used here, a clause; "" where they can.
  static std::string unavailable();

  // Throws std::runtime_error.
  explicit Probe(const ProbeRequest& request);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // The process is recorded from now on, with its threads and all its descendants to come.
  void mark(pid_t process);

  // Hands over each record that is there; never waits.
  void drain(const std::function<void(const char* record, std::size_t size)>& take);

  Watermark watermark();

  // All names are told again when they are used next.
  void forget_names();

  [[nodiscard]] std::uint64_t lost() const;            // records that found the ring full
  [[nodiscard]] std::uint64_t unread_strings() const;  // paths that were not in memory

 private:
  struct Programs;
  std::unique_ptr<Programs> programs_;
};

// The ring's size where none is asked for: 32 MiB, which 1.2 million calls a second fill in 0.2 s,
// for each two processors, up to 256 MiB and a sixteenth of the memory.
std::size_t default_ring_bytes();

}  // namespace fcsim::machine::record::tracepoints
