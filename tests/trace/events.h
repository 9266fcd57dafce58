// What the tests of the trace readers share: events that own their strings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/reader.h"
#include "traces/strace/open.h"

namespace fcsim::traces::test {

struct OwnedEvent : traces::Event {
  explicit OwnedEvent(const traces::Event& event)
      : traces::Event(event), strings_{std::string(event.path),
                                       std::string(event.path2),
                                       std::string(event.text),
                                       std::string(event.fd_path),
                                       std::string(event.fd2_path),
                                       std::string(event.result_path)} {
    point();
  }
  OwnedEvent(const OwnedEvent& other) : traces::Event(other), strings_(other.strings_) { point(); }
  OwnedEvent& operator=(const OwnedEvent&) = delete;

 private:
  void point() {
    path = strings_[0];
    path2 = strings_[1];
    text = strings_[2];
    fd_path = strings_[3];
    fd2_path = strings_[4];
    result_path = strings_[5];
  }

  std::vector<std::string> strings_;
};

struct Trace {
  std::vector<test::OwnedEvent> events;
  traces::ReaderStatistics statistics;
};

inline test::Trace drain(traces::TraceReader& reader) {
  test::Trace trace;
  for (traces::Event event; reader.next(event);) trace.events.emplace_back(event);
  trace.statistics = reader.statistics();
  return trace;
}

inline test::Trace read_text(std::string text, bool strict = false, const std::string& name = "t") {
  return drain(*traces::strace::open_strace_text(std::move(text), name, {strict}));
}

// The event of a line that must give exactly one and no diagnostic.
inline test::OwnedEvent read_one(const std::string& line) {
  const test::Trace trace = read_text(line + "\n");
  if (!trace.statistics.first_diagnostics.empty()) {
    throw model::InputError(trace.statistics.first_diagnostics.front().position,
                            trace.statistics.first_diagnostics.front().message + " in: " + line);
  }
  if (trace.events.size() != 1) {
    throw model::InputError({}, std::to_string(trace.events.size()) + " events from: " + line);
  }
  return trace.events.front();
}

// All fields of an event as text, to compare two.
inline std::string describe(const traces::Event& event) {
  std::string text;
  for (const std::int64_t number :
       {static_cast<std::int64_t>(event.call), static_cast<std::int64_t>(event.has_result),
        static_cast<std::int64_t>(event.has_duration),
        static_cast<std::int64_t>(event.truncated_text), static_cast<std::int64_t>(event.pid),
        static_cast<std::int64_t>(event.error), static_cast<std::int64_t>(event.fd),
        static_cast<std::int64_t>(event.fd2), static_cast<std::int64_t>(event.source),
        static_cast<std::int64_t>(event.line), event.start_ns, event.duration_ns, event.result,
        event.offset, event.length, static_cast<std::int64_t>(event.flags),
        static_cast<std::int64_t>(event.argument)}) {
    text += std::to_string(number) + " ";
  }
  for (const std::string_view view : {event.name, event.path, event.path2, event.text,
                                      event.fd_path, event.fd2_path, event.result_path}) {
    text += "[" + std::string(view) + "] ";
  }
  return text;
}

}  // namespace fcsim::traces::test
