#include "traces/strace/form.h"

#include "traces/strace/time_units.h"

#include <algorithm>

#include "traces/strace/prefix.h"
#include "traces/strace/text.h"

namespace fcsim::traces::strace {
namespace {

constexpr std::int64_t kLongestSeconds = 1'000'000'000;

// Whether a call, or the second half of one, returned on this line.
bool shows_return(std::string_view rest) {
  if (rest.find(" = ") == std::string_view::npos) return false;
  if (rest.starts_with("<... ")) return true;
  std::size_t at = 0;
  while (at < rest.size() && is_name_character(rest[at])) ++at;
  return at != 0 && at < rest.size() && rest[at] == '(' && !is_digit(rest.front());
}

}  // namespace

bool find_duration(std::string_view line, std::int64_t& duration_ns) {
  while (line.ends_with(' ')) line.remove_suffix(1);
  if (!line.ends_with('>')) return false;
  const std::size_t open = line.rfind(" <");
  if (open == std::string_view::npos) return false;
  Cursor cursor{line.data() + open + 2, line.data() + line.size() - 1};
  const char* const begin = cursor.at;
  std::int64_t seconds = 0;
  for (; is_digit(cursor.peek()) && seconds < kLongestSeconds; ++cursor.at)
    seconds = seconds * 10 + (*cursor.at - '0');
  if (cursor.at == begin) return false;
  const std::int64_t fraction = cursor.take('.') ? take_fraction(cursor) : 0;
  if (!cursor.done()) return false;
  duration_ns = seconds * kSecond + fraction;
  return true;
}

TraceForm recognise_form(std::string_view head) {
  TraceForm form;
  PrefixParser parser;
  for (;;) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    Cursor cursor{line.data(), line.data() + line.size()};
    Prefix prefix;
    Failure ignored;
    if (!parser.parse(cursor, prefix, ignored) || !shows_return(cursor.rest())) continue;
    form.has_calls = true;
    form.has_times = form.has_times || prefix.has_time;
    form.fraction_digits = std::max(form.fraction_digits, parser.fraction_digits());
    std::int64_t duration_ns = 0;
    form.has_durations = form.has_durations || find_duration(line, duration_ns);
    if (form.places_calls()) break;
  }
  return form;
}

}  // namespace fcsim::traces::strace
