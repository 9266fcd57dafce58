#include "traces/strace/line_facts.h"

#include "traces/kernel_facts.h"
#include "traces/strace/arguments.h"

namespace fcsim::traces::strace {
namespace {

// Longer than any of the notes.
constexpr std::size_t kNoteMaximum = 40;

bool set_member(Event& event, FactMember member, std::uint64_t number) {
  const auto value = static_cast<std::int64_t>(number);
  switch (member) {
    case FactMember::transaction:
      event.transaction = static_cast<std::uint32_t>(number);
      return true;
    case FactMember::argument:
      event.argument = number;
      return true;
    case FactMember::offset:
      event.offset = value;
      return true;
    case FactMember::length:
      event.length = value;
      return true;
    case FactMember::result:
      event.has_result = true;
      event.result = value;
      return true;
    case FactMember::flags:
      event.flags = number;
      return true;
    case FactMember::fd_path:
      break;
  }
  return false;
}

const FactField* find_field(const FactKind& kind, std::string_view name) {
  for (const FactField& field : kind.fields)
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace

bool cut_facts(std::string_view& line, LineFacts& facts) {
  if (!line.ends_with(']')) return false;
  const std::size_t from = line.size() > kNoteMaximum ? line.size() - kNoteMaximum : 0;
  const std::size_t at = line.rfind(" [cpu ");
  if (at == std::string_view::npos || at < from) return false;
  Cursor cursor{line.data() + at + 6, line.data() + line.size()};
  LineFacts found;
  std::uint64_t number = 0;
  if (!take_number(cursor, number)) return false;
  found.cpu = static_cast<std::int16_t>(number);
  if (cursor.take(',')) {
    if (!take_number(cursor, number)) return false;
    found.cpu_end = static_cast<std::int16_t>(number);
  }
  if (cursor.take(" tid ")) {
    if (!take_number(cursor, number)) return false;
    found.transaction = static_cast<std::uint32_t>(number);
  }
  if (!cursor.take(']') || !cursor.done()) return false;
  line.remove_suffix(line.size() - at);
  facts = found;
  return true;
}

bool parse_fact(Cursor cursor, Event& event, StringDecoder& decoder, Failure& failure) {
  const char* const begin = cursor.at;
  if (!cursor.take("*** ") || !cursor.rest().ends_with(" ***"))
    return failure.at(begin, "expected '*** EVENT FIELD=VALUE ... ***'");
  cursor.end -= 3;
  const auto word = [&cursor] {
    const char* const from = cursor.at;
    while (is_name_character(cursor.peek())) ++cursor.at;
    return std::string_view(from, static_cast<std::size_t>(cursor.at - from));
  };
  const char* const named = cursor.at;
  const std::string_view name = word();
  const FactKind* const kind = fact_kind(name);
  if (kind == nullptr) return failure.at(named, "expected a trace event of the kernel", name);
  event.call = kind->call;
  while (cursor.take(' ') && !cursor.done()) {
    const char* const where = cursor.at;
    const std::string_view field_name = word();
    const FactField* const field = find_field(*kind, field_name);
    if (field == nullptr || !cursor.take('='))
      return failure.at(where, "expected a field of this event", field_name);
    std::uint64_t number = 0;
    if (field->member == FactMember::fd_path) {
      std::string_view raw;
      bool truncated = false;
      if (!take_string(cursor, raw, truncated)) return failure.at(where, "expected a path");
      event.fd_path = decoder.decode(raw);
    } else if (!take_number(cursor, number) || !set_member(event, field->member, number)) {
      return failure.at(where, "expected a number");
    }
  }
  return true;
}

}  // namespace fcsim::traces::strace
