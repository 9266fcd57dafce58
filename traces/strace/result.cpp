#include "traces/strace/result.h"

#include "traces/strace/time_units.h"

#include <cstdint>

#include "traces/strace/arguments.h"
#include "traces/strace/prefix.h"
#include "traces/strace/symbols.h"

namespace fcsim::traces::strace {
namespace {

constexpr std::size_t kDurationDigitsMaximum = 8;

// Takes " <0.000020>" from the end of the text.
void take_duration(Cursor& cursor, Event& event) {
  const char* at = cursor.end;
  if (at == cursor.at || *--at != '>') return;
  while (at != cursor.at && (is_digit(at[-1]) || at[-1] == '.')) --at;
  if (cursor.end - at < 2 || at - cursor.at < 2 || at[-1] != '<' || at[-2] != ' ') return;
  Cursor inside{at, cursor.end - 1};
  std::int64_t seconds = 0;
  std::size_t digits = 0;
  for (; is_digit(inside.peek()) && digits < kDurationDigitsMaximum; ++digits) {
    seconds = seconds * 10 + (*inside.at++ - '0');
  }
  const std::int64_t fraction_ns = inside.take('.') ? take_fraction(inside) : 0;
  if (digits == 0 || !inside.done()) return;
  event.has_duration = true;
  event.duration_ns = seconds * kSecond + fraction_ns;
  cursor.end = at - 2;
}

// "? ERESTARTSYS (To be restarted if SA_RESTART is set)", "? <unavailable>", "?".
bool parse_unknown(Cursor& cursor, ResultNotes& notes) {
  cursor.skip_spaces();
  notes.restarted = cursor.rest().starts_with("ERESTART");
  return true;
}

// "-1 ENOENT (No such file or directory)". False where the number is not an error.
bool parse_error(Cursor& cursor, Event& event) {
  Cursor word = cursor;
  if (!word.take(' ')) return false;
  const char* const begin = word.at;
  while (is_name_character(word.peek())) ++word.at;
  const std::string_view name(begin, static_cast<std::size_t>(word.at - begin));
  std::uint64_t number = 0;
  Cursor digits = word;
  if (name.starts_with("ERRNO_")) {
    digits.at = begin + 6;
  } else if (!name.empty() || !digits.take("(errno ")) {
    return find_error(name, event.error);
  }
  if (!take_number(digits, number) || number == 0 || number > 4095) return false;
  event.error = static_cast<std::int32_t>(number);
  return true;
}

// "</path>" directly after a descriptor. The path may hold anything, the end is the last '>'.
bool parse_path(Cursor& cursor, Event& event, StringDecoder& decoder, Failure& failure) {
  const char* const begin = cursor.at;
  const std::size_t last = cursor.rest().rfind('>');
  if (last == std::string_view::npos) return failure.at(begin, "expected '>' after the path");
  // One call reads the path as everywhere else, but sees no text after it.
  Cursor path{cursor.at, cursor.at + last + 1};
  std::string_view raw;
  if (cursor.rest().substr(last + 1).starts_with("(deleted)")) path.end += 9;
  if (!take_descriptor_path(path, raw)) return failure.at(begin, "expected '>' after the path");
  event.result_path = decoder.decode(raw);
  cursor.at += last + 1;
  return true;
}

// "5 /* 123 in strace's PID NS */": the events' pids are those of strace's namespace.
void parse_namespace_note(Cursor cursor, Event& event) {
  std::uint64_t number = 0;
  if (event.call != Call::fork || !cursor.take(" /* ") || !take_number(cursor, number)) return;
  if (cursor.take(" in strace's PID NS */")) event.result = static_cast<std::int64_t>(number);
}

bool is_note(std::string_view rest) {
  return rest.empty() || rest.starts_with(" (") || rest.starts_with(" /*") ||
         rest.starts_with(" [") || rest.starts_with("(deleted)");
}

}  // namespace

bool parse_result(Cursor& cursor, Event& event, ResultNotes& notes, StringDecoder& decoder,
                  Failure& failure) {
  while (cursor.end != cursor.at && cursor.end[-1] == ' ') --cursor.end;
  take_duration(cursor, event);
  cursor.skip_spaces();
  if (!cursor.take("= ")) return failure.at(cursor.at, "expected ' = RESULT'");
  if (cursor.take('?')) return parse_unknown(cursor, notes);
  const char* const begin = cursor.at;
  std::uint64_t number = 0;
  if (!take_number(cursor, number)) return failure.at(begin, "expected a result");
  event.has_result = true;
  event.result = static_cast<std::int64_t>(number);
  if (event.result == -1 && parse_error(cursor, event)) {
    // The meaning in words follows, and perhaps a note.
  } else if (cursor.peek() == '<') {
    if (!parse_path(cursor, event, decoder, failure)) return false;
    if (!is_note(cursor.rest())) return failure.at(cursor.at, "expected the end of the line");
  } else if (is_note(cursor.rest())) {
    parse_namespace_note(cursor, event);
  } else {
    return failure.at(cursor.at, "expected the end of the line");
  }
  notes.injected = event.error == 0 && cursor.rest().ends_with("(INJECTED)");
  return true;
}

}  // namespace fcsim::traces::strace
