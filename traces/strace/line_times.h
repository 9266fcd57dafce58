// When each line of a trace was written, where its times and durations do not say it well enough:
// from the order of lines. strace writes a call on one whole line only if nothing else happened
// between its entry and its return; so it had returned before the next line began. The halves of a
// call that was split lie where their lines lie.
//
// Without times, lines follow each other by the durations that are shown or assumed. Lines that
// share a coarse time are spread over it, in the same proportions.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "traces/strace/form.h"
#include "traces/strace/prefix.h"

namespace fcsim::traces::strace {

class LineTimes {
 public:
  explicit LineTimes(const TraceForm& form);

  // ---- the reader's side, line by line ----
  // A line, whatever it says: its columns and what follows them. Numbers grow; one that was seen
  // is left as it is. The views are not kept.
  void add(std::uint64_t number, const Prefix& prefix, std::string_view rest);
  void end_input();
  // No longer waits for the lines that share the last time.
  void force();

  // ---- the events' side ----
  // When the call that is placed on this line began, and how long it took.
  struct Place {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
    bool has_duration = false;
  };
  // False until all that it depends on was read.
  [[nodiscard]] bool knows(std::uint64_t number) const;
  [[nodiscard]] Place place(std::uint64_t number) const;
  // Lines before this one are not asked for again.
  void forget_before(std::uint64_t number);

  [[nodiscard]] std::uint64_t backwards() const { return backwards_; }
  [[nodiscard]] std::int64_t first_ns() const { return first_ns_; }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }

 private:
  struct Line {
    std::uint64_t number = 0;
    std::uint64_t end_line = 0;     // of a first half: where the second is; 0: not seen
    std::int64_t order_ns = 0;      // on the clock that only follows the order of lines
    std::int64_t start_ns = 0;      // once settled
    std::int64_t duration_ns = -1;  // as shown; -1: not shown
    std::int64_t assumed_ns = 0;    // ... what it is taken to be then; 0: not known
    bool first_half = false;
    bool second_half = false;
  };

  [[nodiscard]] const Line* find(std::uint64_t number) const;
  [[nodiscard]] Line* find(std::uint64_t number);
  void begin_group(const Prefix& prefix);
  void settle(std::int64_t until_order_ns);

  bool timed_;
  std::int64_t unit_ns_;  // of the times
  std::deque<Line> lines_;
  std::size_t settled_ = 0;    // of lines_, from the front: their start is known
  std::int64_t clock_ns_ = 0;  // of the order: where the next line lies
  bool any_group_ = false;
  std::int64_t group_ns_ = 0;        // the time that the unsettled lines share
  std::int64_t group_order_ns_ = 0;  // where the order's clock stood when it began
  std::unordered_map<std::int64_t, std::uint64_t> first_halves_;  // line, by process
  std::uint64_t backwards_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  bool ended_ = false;
};

}  // namespace fcsim::traces::strace
