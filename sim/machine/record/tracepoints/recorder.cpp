#include "sim/machine/record/tracepoints/recorder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>

#include "sim/machine/record/descriptor.h"
#include "sim/machine/record/process.h"
#include "sim/machine/record/small_file.h"
#include "sim/machine/record/time.h"
#include "sim/machine/record/tracepoints/assembler.h"
#include "sim/machine/record/tracepoints/early_descriptors.h"
#include "sim/machine/record/tracepoints/probe.h"
#include "sim/machine/record/tracepoints/records.h"

namespace fcsim::machine::record::tracepoints {
namespace {

// How long the ring is left alone: at 250 MB/s a ring of 32 MiB fills in 130 ms.
constexpr int kShortRest = 2;  // ms, while much comes
constexpr int kLongRest = 20;
constexpr std::size_t kMuch = std::size_t{1} << 20;
constexpr std::int64_t kWalkEvery = kSecond / 10;
constexpr std::size_t kQueueMaximum = std::size_t{512} << 20;
constexpr std::size_t kHeldMaximum = std::size_t{256} << 20;

// What was in the ring, one record after the other: its size (8 bytes) and its bytes, padded to 8.
struct Batch {
  std::vector<char> bytes;
  std::uint64_t before = 0;  // what began before is complete with this batch
  std::uint64_t lost = 0;    // so far
};

// Turns batches into events, beside the thread that empties the ring.
class Writer {
 public:
  Writer(const TracepointRequest& request, Probe& probe, TracepointEnd& end,
         std::int64_t realtime_of_monotonic0)
      : request_(request),
        probe_(probe),
        end_(end),
        assembler_({request.mount_point, realtime_of_monotonic0, request.everybody},
                   [this](traces::Event& event) { put(event); }),
        thread_([this] { run(); }) {}

  ~Writer() {
    if (thread_.joinable()) {
      push({{}, kNever, 0}, true);
      thread_.join();
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Waits where too much is waiting already; the ring counts what finds no room meanwhile.
  void push(Batch batch, bool last = false) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return queued_ < kQueueMaximum || failed_; });
    queued_ += batch.bytes.size();
    batches_.push_back(std::move(batch));
    last_ = last;
    ready_.notify_one();
  }

  // Takes all that is queued to its end. Throws what went wrong in the thread.
  void finish(std::uint64_t lost) {
    push({{}, kNever, lost}, true);
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    try {
      while (next()) {
      }
    } catch (...) {
      error_ = std::current_exception();
      const std::lock_guard lock(mutex_);
      failed_ = true;
      room_.notify_all();
    }
  }

  bool next() {
    Batch batch;
    bool last = false;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [&] { return !batches_.empty(); });
      batch = std::move(batches_.front());
      batches_.pop_front();
      queued_ -= batch.bytes.size();
      last = last_ && batches_.empty();
      room_.notify_one();
    }
    convert(batch);
    if (!last) return true;
    const AssemblerStatistics& told = assembler_.statistics();
    end_.calls = told.calls;
    end_.reordered = told.reordered;
    end_.restarted = told.restarted;
    end_.first_time = told.first_time;
    end_.last_time = told.last_time;
    return false;
  }

  void convert(const Batch& batch) {
    for (std::size_t at = 0; at < batch.bytes.size();) {
      std::uint64_t size = 0;
      std::memcpy(&size, batch.bytes.data() + at, sizeof size);
      assembler_.take({batch.bytes.data() + at + sizeof size, size});
      at += sizeof size + ((size + 7) & ~std::uint64_t{7});
    }
    if (batch.before != 0) assembler_.release(batch.before);
    if (assembler_.held_bytes() > kHeldMaximum) assembler_.release(kNever);
    if (assembler_.wants_names_again()) probe_.forget_names();
    if (batch.lost > lost_) tell_lost(batch.lost);
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - flushed_ > kSecond) {
      flushed_ = now;
      request_.flush();
    }
  }

  void put(const traces::Event& event) {
    ++end_.events;
    last_time_ = event.start_ns;
    if (event.pid != last_task_) end_.tasks.insert(event.pid);
    last_task_ = event.pid;
    request_.put(event);
  }

  void tell_lost(std::uint64_t lost) {
    traces::Event event;
    event.call = traces::Call::events_lost;
    event.start_ns = last_time_;
    event.length = static_cast<std::int64_t>(lost - lost_);
    lost_ = lost;
    put(event);
  }

  const TracepointRequest& request_;
  Probe& probe_;
  TracepointEnd& end_;
  Assembler assembler_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::deque<Batch> batches_;
  std::size_t queued_ = 0;
  bool last_ = false;
  bool failed_ = false;
  std::exception_ptr error_;
  std::uint64_t lost_ = 0;
  std::int64_t flushed_ = 0;
  std::int64_t last_time_ = 0;
  std::int32_t last_task_ = -1;
  std::thread thread_;  // last: it uses the others
};

std::set<pid_t> threads_of(pid_t process) {
  std::set<pid_t> threads;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", error)) {
    const std::string name = entry.path().filename().string();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{})
      threads.insert(thread);
  }
  return threads;
}

std::set<pid_t> all_processes() {
  std::set<pid_t> processes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t process = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size()) processes.insert(process);
  }
  return processes;
}

// Where the realtime clock stood when the monotonic one began: the quickest of many looks.
std::int64_t realtime_of_monotonic0() {
  std::int64_t best = std::numeric_limits<std::int64_t>::max(), offset = 0;
  for (int look = 0; look < 1000; ++look) {
    const std::int64_t before = clock_ns(CLOCK_MONOTONIC);
    const std::int64_t real = realtime_ns();
    const std::int64_t after = clock_ns(CLOCK_MONOTONIC);
    if (after - before >= best) continue;
    best = after - before;
    offset = real - (before + after) / 2;
  }
  return offset;
}

class Recording {
 public:
  Recording(const TracepointRequest& request, SignalWatch& signals)
      : request_(request),
        signals_(signals),
        loaded_at_(realtime_ns()),
        ring_bytes_(request.ring_bytes != 0 ? request.ring_bytes : default_ring_bytes()),
        probe_({request.device, request.everybody, request.whole_mount, ring_bytes_}),
        offset_(realtime_of_monotonic0()) {}

  ~Recording() {
    if (command_ > 0) end_command();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  TracepointEnd run() {
    Writer writer(request_, probe_, end_, offset_);
    begin();
    began_ = clock_ns(CLOCK_MONOTONIC);
    while (!over() && !writer.failed()) step(writer);
    if (command_ > 0) end_command();
    request_.ended();
    drain();
    batch_.lost = probe_.lost();
    writer.push(std::move(batch_));
    writer.finish(probe_.lost());
    end_.lost = probe_.lost();
    end_.unread_strings = probe_.unread_strings();
    end_.ring_bytes = ring_bytes_;
    return std::move(end_);
  }

 private:
  void begin() {
    std::set<pid_t> processes;
    for (const pid_t process : request_.processes) processes.merge(with_descendants(process));
    for (const pid_t process : processes) {
      probe_.mark(process);
      alive_.merge(threads_of(process));
    }
    if (request_.everybody) processes = all_processes();
    request_.attached();
    // What came until now was before the recording.
    drain();
    batch_ = {};
    probe_.forget_names();
    for (const pid_t process : processes)
      tell_descriptors(process, request_.mount_point, request_.device, loaded_at_,
                       [&](const auto& event) {
                         ++end_.events;
                         request_.put(event);
                       });
    if (!request_.command.empty()) {
      command_ = start_held_program(request_.command, request_.directory, [&](pid_t child) {
        if (!request_.everybody) probe_.mark(child);
        alive_.insert(child);
      });
      command_end_.reset(static_cast<int>(syscall(SYS_pidfd_open, command_, 0)));
    }
    // The recorded tasks are not to keep the recorder from a processor: the ring would overflow.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), -10);
  }

  [[nodiscard]] bool over() const {
    if (stop_) return true;
    if (request_.everybody) return !request_.command.empty() && command_ended_;
    return alive_.empty() || (interrupted_ && !request_.command.empty() && command_ended_);
  }

  void step(Writer& writer) {
    std::array<pollfd, 2> wanted = {pollfd{signals_.descriptor(), POLLIN, 0},
                                    pollfd{command_ended_ ? -1 : command_end_.get(), POLLIN, 0}};
    poll(wanted.data(), wanted.size(), rest_);
    if ((wanted[0].revents & POLLIN) != 0)
      if (const auto caught = signals_.take()) interrupt(*caught);
    const std::int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (request_.duration_ns && now - began_ > *request_.duration_ns) time_is_over();
    const bool walk = now - walked_ > kWalkEvery;
    Watermark mark;
    if (walk) {
      mark = probe_.watermark();
      walked_ = now;
      if (mark.consumed >= last_mark_.produced) batch_.before = last_mark_.before;
      end_.ring_peak = std::max(end_.ring_peak, mark.produced - mark.consumed);
      last_mark_ = mark;
    }
    drain();
    // Only now: all that the command did was in the ring before.
    if ((wanted[1].revents & POLLIN) != 0) command_ended_ = true;
    rest_ = batch_.bytes.size() > kMuch ? kShortRest : kLongRest;
    if (!walk && batch_.bytes.size() < kMuch) return;
    batch_.lost = probe_.lost();
    writer.push(std::exchange(batch_, {}));
  }

  void drain() {
    probe_.drain([this](const char* record, std::size_t size) {
      const auto& header = *reinterpret_cast<const tp_header*>(record);
      if (header.kind == TP_EXIT) alive_.erase(static_cast<pid_t>(header.tid));
      if (header.kind == TP_FORK)
        alive_.insert(static_cast<pid_t>(reinterpret_cast<const tp_fork*>(record)->child));
      if (header.kind == TP_EXEC)  // the task takes its process's number
        alive_.erase(static_cast<pid_t>(reinterpret_cast<const tp_exec*>(record)->old_tid)),
            alive_.insert(static_cast<pid_t>(header.tid));
      const std::size_t at = batch_.bytes.size();
      const std::size_t padded = (size + 7) & ~std::size_t{7};
      batch_.bytes.resize(at + sizeof(std::uint64_t) + padded);
      const std::uint64_t stored = size;
      std::memcpy(batch_.bytes.data() + at, &stored, sizeof stored);
      std::memcpy(batch_.bytes.data() + at + sizeof stored, record, size);
    });
  }

  void time_is_over() {
    if (command_ > 0 && !command_ended_ && !interrupted_) {
      interrupted_ = true;
      signal_group(command_, SIGTERM);
    } else if (command_ <= 0) {
      stop_ = true;
    }
  }

  void interrupt(const CaughtSignal& caught) {
    if (command_ <= 0) {
      end_.interrupted_by = caught.number;
      stop_ = true;
      return;
    }
    if (interrupted_) {
      signal_group(command_, SIGKILL);
      return;
    }
    end_.interrupted_by = caught.number;
    interrupted_ = true;
    if (!caught.from_terminal) signal_group(command_, caught.number);
  }

  // Takes the command's status. One that still runs is ours to end: nothing of it would be
  // recorded.
  void end_command() {
    take_terminal_back(command_);
    if (!command_ended_) signal_group(command_, SIGKILL);
    end_.exit_status = wait_for_program(std::exchange(command_, 0));
  }

  const TracepointRequest& request_;
  SignalWatch& signals_;
  std::int64_t loaded_at_;
  std::size_t ring_bytes_;
  Probe probe_;
  std::int64_t offset_;
  TracepointEnd end_;
  pid_t command_ = 0;
  Descriptor command_end_;
  std::set<pid_t> alive_;  // tasks that are recorded; not with everybody
  Batch batch_;
  Watermark last_mark_;
  std::int64_t began_ = 0;
  std::int64_t walked_ = 0;
  int rest_ = kLongRest;
  bool command_ended_ = false;
  bool interrupted_ = false;
  bool stop_ = false;
};

}  // namespace

std::set<pid_t> with_descendants(pid_t process) {
  std::set<pid_t> found = {process};
  for (const pid_t thread : threads_of(process)) {
    std::istringstream children(read_small_file("/proc/" + std::to_string(process) + "/task/" +
                                                std::to_string(thread) + "/children")
                                    .value_or(""));
    for (pid_t child = 0; children >> child;)
      if (!found.contains(child)) found.merge(with_descendants(child));
  }
  return found;
}

TracepointEnd record_tracepoints(const TracepointRequest& request, SignalWatch& signals) {
  return Recording(request, signals).run();
}

}  // namespace fcsim::machine::record::tracepoints
