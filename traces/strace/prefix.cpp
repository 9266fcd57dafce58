#include "traces/strace/prefix.h"

#include <algorithm>

#include <cstring>
#include "traces/strace/time_units.h"

#include "traces/strace/digits.h"

namespace fcsim::traces::strace {
namespace {

// Times stay below this, so that a duration can be added to any of them.
constexpr std::int64_t kTimeMaximum = 9'000'000'000 * kSecond;

// Process numbers have at most 7 digits (PID_MAX_LIMIT is 2^22), seconds since 1970 have had 10
// since 2001 and will until 2286: a bare integer can be told apart by its length.
constexpr std::size_t kEpochDigits = 10;
constexpr std::size_t kPidDigitsMaximum = 9;
constexpr std::size_t kSecondsDigitsMaximum = 10;

bool all_digits(const char* text, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_digit(text[i])) return false;
  }
  return true;
}

std::int64_t number(const char* text, std::size_t size) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

}  // namespace

std::int64_t take_fraction(Cursor& cursor) {
  std::int64_t value = 0;
  int digits = 0;
  for (; is_digit(cursor.peek()); ++cursor.at) {
    if (digits == 9) continue;
    value = value * 10 + (*cursor.at - '0');
    ++digits;
  }
  for (; digits < 9; ++digits) value *= 10;
  return value;
}

void PrefixParser::note_digits(std::ptrdiff_t count) {
  fraction_digits_ =
      std::max(fraction_digits_, static_cast<int>(std::min<std::ptrdiff_t>(count, 9)));
}

void PrefixParser::set_time(Prefix& prefix, TimeBase base, std::int64_t time_ns) {
  if (time_base_ == TimeBase::none) {
    time_base_ = base;
    last_ns_ = base == TimeBase::relative ? 0 : time_ns;
  }
  prefix.has_time = true;
  prefix.time_ns = time_ns;
  last_ns_ = time_ns;
}

// "PID SECONDS.MICROSECONDS ", the form of -f -ttt.
bool PrefixParser::parse_common(Cursor& cursor, Prefix& prefix) {
  constexpr std::size_t kShortest = 1 + 1 + 10 + 1 + 6 + 1 + 1;
  if (cursor.left() < kShortest + 12) return false;
  const char* at = cursor.at;
  std::int32_t pid = 0;
  while (is_digit(*at) && at - cursor.at < 8) pid = pid * 10 + (*at++ - '0');
  if (at == cursor.at || at - cursor.at > 7 || *at != ' ') return false;
  ++at;
  if (*at == ' ') {
    do ++at;
    while (*at == ' ' && at - cursor.at < 10);
  }
  if (static_cast<std::size_t>(cursor.end - at) < 20) return false;
  if (std::memcmp(at, seconds_text_.data(), seconds_text_.size()) != 0) {
    if (!all_digits(at, seconds_text_.size())) return false;
    const std::int64_t seconds = number(at, seconds_text_.size());
    if (seconds > kTimeMaximum / kSecond) return false;
    std::memcpy(seconds_text_.data(), at, seconds_text_.size());
    seconds_ns_ = seconds * kSecond;
    fraction_digits_ = 6;
  }
  std::int64_t microseconds = 0;
  if (at[10] != '.' || !take_six_digits(at + 11, microseconds) || at[17] != ' ') return false;
  prefix.pid = pid;
  prefix.has_pid = true;
  set_time(prefix, TimeBase::epoch, seconds_ns_ + microseconds * 1000);
  cursor.at = at + 18;
  return true;
}

bool PrefixParser::parse_any(Cursor& cursor, Prefix& prefix, Failure& failure) {
  prefix = Prefix{};
  return parse_columns(cursor, prefix, failure);
}

bool PrefixParser::parse_columns(Cursor& cursor, Prefix& prefix, Failure& failure) {
  for (;;) {
    cursor.skip_spaces();
    const char c = cursor.peek();
    if (c == '[') {
      if (cursor.rest().starts_with("[ Process ")) return true;
      if (!parse_bracket(cursor, prefix, failure)) return false;
    } else if (c == '(') {
      if (!parse_relative_note(cursor, prefix, failure)) return false;
    } else if (is_digit(c)) {
      if (!parse_number(cursor, prefix, failure)) return false;
    } else {
      return true;
    }
  }
}

// "[pid  123]", "[pid 123<name>]", "[00007f12cafe0000]", "[ 257]", a security context.
bool PrefixParser::parse_bracket(Cursor& cursor, Prefix& prefix, Failure& failure) {
  const char* const begin = cursor.at;
  const std::size_t close = cursor.rest().find("] ");
  if (close == std::string_view::npos) return failure.at(begin, "expected '] ' after '['");
  Cursor inside{cursor.at + 1, cursor.at + close};
  cursor.at += close + 1;
  if (!inside.take("pid ")) return true;
  inside.skip_spaces();
  const char* const digits = inside.at;
  while (is_digit(inside.peek())) ++inside.at;
  const std::size_t size = static_cast<std::size_t>(inside.at - digits);
  if (size == 0 || size > kPidDigitsMaximum) return failure.at(digits, "expected a process number");
  prefix.pid = static_cast<std::int32_t>(number(digits, size));
  prefix.has_pid = true;
  prefix.bracketed = true;
  return true;
}

// "(+     0.000123)": -r together with -t.
bool PrefixParser::parse_relative_note(Cursor& cursor, Prefix& prefix, Failure& failure) {
  const char* const begin = cursor.at;
  const std::size_t close = cursor.rest().find(") ");
  if (close == std::string_view::npos || !cursor.rest().starts_with("(+")) {
    return failure.at(begin, "expected '(+SECONDS) '");
  }
  Cursor inside{cursor.at + 2, cursor.at + close};
  cursor.at += close + 1;
  if (prefix.has_time) return true;
  inside.skip_spaces();
  return parse_number(inside, prefix, failure);
}

bool PrefixParser::parse_number(Cursor& cursor, Prefix& prefix, Failure& failure) {
  const char* const begin = cursor.at;
  while (is_digit(cursor.peek())) ++cursor.at;
  const std::size_t size = static_cast<std::size_t>(cursor.at - begin);
  if (size > kSecondsDigitsMaximum) return failure.at(begin, "expected a process or a time");
  const std::int64_t value = number(begin, size);
  if (cursor.take(':')) return parse_time_of_day(cursor, value, prefix, failure);
  if (value > kTimeMaximum / kSecond) return failure.at(begin, "expected a possible time");
  const bool fraction = cursor.take('.');
  const char* const digits = cursor.at;
  const std::int64_t time_ns = value * kSecond + (fraction ? take_fraction(cursor) : 0);
  if (fraction) note_digits(cursor.at - digits);
  const bool spaced = cursor.done() || cursor.peek() == ' ';
  if (!fraction && size < kEpochDigits && !prefix.has_pid && !prefix.has_time) {
    if (cursor.peek() == '<') {  // -Y: the program's name, in which '>' is escaped
      const std::size_t close = cursor.rest().find("> ");
      if (close == std::string_view::npos) return failure.at(cursor.at, "expected '> '");
      cursor.at += close + 1;
    } else if (!spaced) {
      return failure.at(cursor.at, "expected a space after the process number");
    }
    if (size > kPidDigitsMaximum) return failure.at(begin, "expected a process number");
    prefix.pid = static_cast<std::int32_t>(value);
    prefix.has_pid = true;
    return true;
  }
  if (!spaced || prefix.has_time) return failure.at(cursor.at, "expected a system call");
  if (size >= kEpochDigits) {
    set_time(prefix, TimeBase::epoch, time_ns);
  } else {
    if (last_ns_ > kTimeMaximum - time_ns) return failure.at(begin, "expected a possible time");
    set_time(prefix, TimeBase::relative, last_ns_ + time_ns);
  }
  return true;
}

// After "HH:".
bool PrefixParser::parse_time_of_day(Cursor& cursor, std::int64_t hours, Prefix& prefix,
                                     Failure& failure) {
  const bool shape = cursor.left() >= 5 && all_digits(cursor.at, 2) && cursor.at[2] == ':' &&
                     all_digits(cursor.at + 3, 2);
  if (!shape || hours > 23 || prefix.has_time) return failure.at(cursor.at, "expected HH:MM:SS");
  const std::int64_t minutes = number(cursor.at, 2);
  const std::int64_t seconds = number(cursor.at + 3, 2);
  cursor.at += 5;
  const bool fraction = cursor.take('.');
  const char* const digits = cursor.at;
  const std::int64_t fraction_ns = fraction ? take_fraction(cursor) : 0;
  if (fraction) note_digits(cursor.at - digits);
  if (cursor.peek() != ' ') return failure.at(cursor.at, "expected a space after the time");
  const std::int64_t time_ns = (hours * 3600 + minutes * 60 + seconds) * kSecond + fraction_ns;
  // Far back in time is past midnight; a little back is a clock that was set.
  if (time_base_ == TimeBase::time_of_day && day_ns_ + time_ns < last_ns_ - kDay / 2 &&
      day_ns_ < kTimeMaximum) {
    day_ns_ += kDay;
  }
  set_time(prefix, TimeBase::time_of_day, day_ns_ + time_ns);
  return true;
}

}  // namespace fcsim::traces::strace
