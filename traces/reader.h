// The interface that every trace reader implements, whatever the format of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/common/error.h"
#include "traces/binary/format.h"
#include "traces/event.h"

namespace fcsim::traces {

// How a trace is recorded that holds what a prediction needs.
inline constexpr std::string_view kRecordingRecipe =
    "strace -f -ttt -T -y -s 64 -e trace=%file,%desc,%process,msync,sync,syncfs,connect,bind "
    "-o trace.strace COMMAND";

struct ReaderOptions {
  bool strict = false;       // throw InputError at the first line that cannot be parsed
  bool fingerprint = false;  // fill bytes and xxh64 of TraceReader::sources()
};

// A file of text that a trace was read from.
struct SourceFile {
  std::string path;  // as given; "-": standard input
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;  // as stored: those of the compressed file where it is compressed
  std::uint64_t xxh64 = 0;  // of these bytes, seed 0
};

// A line that could not be parsed: where it is and what was expected there.
struct Diagnostic {
  model::Position position;
  std::string message;
};

// What the start_ns of the events are counted from.
enum class TimeBase : std::uint8_t {
  none,         // the trace has no times; every start_ns is 0
  relative,     // since the first line (-r)
  time_of_day,  // since midnight of the day on which the trace begins, local time (-t, -tt)
  epoch,        // CLOCK_REALTIME (-ttt)
};

// What was seen so far; complete once next() has returned false.
struct ReaderStatistics {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;           // yielded by next()
  std::uint64_t ignored_calls = 0;    // calls of no consequence for files or descriptors
  std::uint64_t unparsable = 0;       // lines skipped with a diagnostic
  std::uint64_t restarted_calls = 0;  // ended in ERESTART*: the kernel repeats them
  std::uint64_t injected_calls = 0;   // strace made the result up, the kernel never ran them
  std::uint64_t orphan_resumed = 0;   // "resumed" whose first half is missing, of no use
  std::uint64_t never_resumed = 0;    // calls whose second half is missing
  std::uint64_t released_early = 0;   // given up waiting for, see kHeldEventsMaximum
  std::uint64_t reordered = 0;     // times that ran backwards and were raised to their forerunner
  std::int64_t first_time_ns = 0;  // of the first and last line with a time, ignored calls too
  std::int64_t last_time_ns = 0;
  TimeBase time_base = TimeBase::none;
  bool has_pids = false;
  bool coarse_times = false;                  // shorter units than a microsecond's are missing
  bool has_durations = false;                 // -T
  bool has_fd_paths = false;                  // -y
  std::vector<Diagnostic> first_diagnostics;  // at most kDiagnosticsMaximum
};

inline constexpr std::size_t kDiagnosticsMaximum = 20;

// A call that has not returned holds back the events after it; beyond this many it is given up.
inline constexpr std::size_t kHeldEventsMaximum = 65536;

class TraceReader {
 public:
  TraceReader() = default;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  virtual ~TraceReader();

  // Yields the next event in order of start_ns (ties in order of lines); false at the end.
  // Events of Call::other are not yielded. Throws InputError.
  virtual bool next(Event& event) = 0;

  [[nodiscard]] virtual const ReaderStatistics& statistics() const = 0;

  // What had to be assumed because the format cannot say it, a sentence each.
  [[nodiscard]] virtual std::vector<std::string> assumed() const { return {}; }
  // What the trace holds and no event can say: a fixed sentence and how often.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> unsupported() const { return {}; }

  // The files that Event::source counts in: their paths at any time, the rest once next() has
  // returned false.
  [[nodiscard]] virtual std::vector<SourceFile> sources() const = 0;

  // What the trace was made from, to be kept when it is converted.
  [[nodiscard]] virtual binary::Origin origin() const { return binary::Origin::text; }

  // statistics().unparsable so far, cheap enough to be asked for after each event.
  [[nodiscard]] virtual std::uint64_t unparsable() const { return statistics().unparsable; }
};

}  // namespace fcsim::traces
