// From the records of the ring buffer to the events of a trace, in the order in which they began.
//
// A call's record comes when it returns, a request's in two halves, and what the kernel syncs for
// another task shows as ext4_sync_file alone. Memory: what has not been released.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/machine/record/tracepoints/call_list.h"
#include "sim/machine/record/tracepoints/records.h"
#include "traces/event.h"

namespace fcsim::machine::record::tracepoints {

// Of a record of this kind (tp_kind), without the strings that may follow; the largest number where
// there is no such kind.
[[nodiscard]] std::size_t record_bytes(unsigned kind);

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

struct AssemblerOptions {
  std::string mount_point;                  // absolute, without a slash at its end unless it is "/"
  std::int64_t realtime_of_monotonic0 = 0;  // CLOCK_REALTIME when CLOCK_MONOTONIC was 0, ns
  bool everybody = false;                   // a sync by a task that is not recorded is a call too
};

struct AssemblerStatistics {
  std::uint64_t records = 0;
  std::uint64_t calls = 0;      // of events(), those that are calls
  std::uint64_t restarted = 0;  // calls that the kernel began anew
  std::uint64_t elsewhere = 0;  // calls that have to do with other file systems only
  std::uint64_t reordered = 0;  // events that came later than what began after them
  std::int64_t first_time = 0, last_time = 0;
};

class Assembler {
 public:
  using Sink = std::function<void(traces::Event&)>;

  Assembler(AssemblerOptions options, Sink sink);

  // Copies one record. Throws std::runtime_error for what is none.
  void take(std::string_view record);
  // Hands all events that began before this time (CLOCK_MONOTONIC) to the sink, in order.
  void release(std::uint64_t before);
  // Hands over what is left; requests that were not completed are dropped.
  void finish();
  // True after many names: the kernel is to tell all of them again, so that those of files that are
  // gone can be forgotten.
  bool wants_names_again();

  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }
  [[nodiscard]] const AssemblerStatistics& statistics() const { return statistics_; }

 private:
  struct Held {
    std::uint64_t time = 0;
    std::uint64_t order = 0;       // of arrival, where times are equal
    const char* record = nullptr;  // in a chunk
    const std::string* name1 = nullptr;
    const std::string* name2 = nullptr;
    const std::string* name_of_result = nullptr;
    std::uint64_t duration = 0;  // of what was joined of two records
    std::int64_t result = 0;     // likewise
    std::uint32_t chunk = 0;
  };
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t used = 0;
    std::size_t live = 0;  // records that are held
  };
  struct Begun {  // the first half of a request, or of a sync
    tp_request request{};
    tp_event event{};
    const std::string* name = nullptr;
  };
  struct Task {
    std::uint32_t process = 0;
    bool touches = false;  // its process has had to do with the file system
  };

  const std::string* name(std::uint64_t number) const;
  void take_name(const tp_path& path, std::string_view components);
  void take_request(const tp_request& request);
  void take_event(const tp_event& event);
  void hold(Held held, std::string_view record);
  void sort();
  [[nodiscard]] std::uint64_t oldest_begun() const;
  void give(const Held& held);
  void begin_event(const tp_header& header, std::uint64_t time);
  void yield();
  void give_call(const Held& held);
  void give_arguments(const tp_call& call, const RecordedCall& recorded, const Held& held,
                      std::string_view payload);
  void give_descriptor(std::int32_t fd, const std::string* path, std::int32_t& number,
                       std::string_view& shown);
  void give_status(const tp_call& call, const RecordedCall& recorded, std::string_view extra);
  void give_times(const tp_call& call, std::string_view extra);
  void give_fcntl(const tp_call& call);
  void give_ioctl(const tp_call& call, std::string_view extra);
  void give_request(const Held& held);
  void give_sync(const Held& held);
  void give_fact(const Held& held);
  void give_exec(const Held& held);
  void meet_worker(const tp_header& header, std::uint64_t time);
  [[nodiscard]] bool concerns(const tp_call& call) const;
  [[nodiscard]] bool is_inside(std::string_view path) const;
  [[nodiscard]] bool leads_inside(std::string_view from, std::string_view path) const;
  void make_absolute(std::string_view& path, const std::string* directory, std::string& storage);

  AssemblerOptions options_;
  Sink sink_;
  AssemblerStatistics statistics_;
  std::array<const RecordedCall*, TP_CALLS> calls_{};
  std::vector<Held> held_;
  std::size_t sorted_ = 0;  // of held_, from the front
  std::deque<Chunk> chunks_;
  std::uint32_t first_chunk_ = 0;  // number of chunks_.front()
  std::size_t held_bytes_ = 0;
  // Names: those told since the last time that all were told anew, and those before.
  std::unordered_map<std::uint64_t, const std::string*> names_, older_names_;
  std::deque<std::string> texts_, older_texts_;
  std::unordered_map<std::uint64_t, Begun> requests_;
  std::unordered_map<std::uint32_t, Begun> syncs_;
  std::set<std::uint32_t> processes_;  // that have had to do with the file system
  std::set<std::uint32_t> workers_;    // of io_uring, whose processes the reader was told
  std::uint64_t last_given_ = 0;
  traces::Event event_;
  std::array<std::string, 6> storage_;
};

}  // namespace fcsim::machine::record::tracepoints
