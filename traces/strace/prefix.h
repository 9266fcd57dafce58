// The columns in front of what a line says: process, time, instruction pointer, ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "traces/reader.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {

struct Prefix {
  std::int32_t pid = 0;
  bool has_pid = false;
  bool bracketed = false;  // "[pid N]": strace leaves it out while it traces one process only
  bool has_time = false;
  std::int64_t time_ns = 0;  // counted from `TimeBase`, days and relative times added up
};

// Reads the columns of one file, line by line: the meaning of a time depends on those before.
class PrefixParser {
 public:
  // Moves the cursor after the columns. False, with the failure, if they make no sense.
  bool parse(Cursor& cursor, Prefix& prefix, Failure& failure) {
    if (!parse_common(cursor, prefix)) return parse_any(cursor, prefix, failure);
    // A call's name follows at once, unless -n or -i put a bracket or -r a note in between.
    return *cursor.at >= 'a' || parse_columns(cursor, prefix, failure);
  }

  [[nodiscard]] TimeBase time_base() const { return time_base_; }
  // The most digits that a time had after its point, up to 9.
  [[nodiscard]] int fraction_digits() const { return fraction_digits_; }

 private:
  bool parse_common(Cursor& cursor, Prefix& prefix);
  bool parse_any(Cursor& cursor, Prefix& prefix, Failure& failure);
  bool parse_columns(Cursor& cursor, Prefix& prefix, Failure& failure);
  bool parse_bracket(Cursor& cursor, Prefix& prefix, Failure& failure);
  bool parse_relative_note(Cursor& cursor, Prefix& prefix, Failure& failure);
  bool parse_number(Cursor& cursor, Prefix& prefix, Failure& failure);
  bool parse_time_of_day(Cursor& cursor, std::int64_t hours, Prefix& prefix, Failure& failure);
  void note_digits(std::ptrdiff_t count);
  void set_time(Prefix& prefix, TimeBase base, std::int64_t time_ns);

  TimeBase time_base_ = TimeBase::none;
  int fraction_digits_ = 0;
  std::int64_t last_ns_ = 0;  // of the line before, in the units of time_base_
  std::int64_t day_ns_ = 0;   // whole days passed since the trace began
  // The digits of the second of the line before and their value: they seldom change.
  std::array<char, 10> seconds_text_{'0', '0', '0', '0', '0', '0', '0', '0', '0', '0'};
  std::int64_t seconds_ns_ = 0;
};

// A fraction of a second after its point, whatever its number of digits, as nanoseconds.
// Moves the cursor after the digits; there may be none.
std::int64_t take_fraction(Cursor& cursor);

}  // namespace fcsim::traces::strace
