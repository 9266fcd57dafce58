#include "traces/strace/text.h"

#include <cstring>

namespace fcsim::traces::strace {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// After a backslash: one escape, at least one character long.
char decode_escape(Cursor& cursor) {
  const char kind = *cursor.at++;
  if (is_octal(kind)) {
    int value = kind - '0';
    for (int digits = 1; digits < 3 && is_octal(cursor.peek()); ++digits) {
      value = value * 8 + (*cursor.at++ - '0');
    }
    return static_cast<char>(value);
  }
  switch (kind) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'e':
      return '\x1b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'x':
      break;
    default:
      return kind;
  }
  int value = 0;
  for (int digits = 0; digits < 2 && hex_value(cursor.peek()) >= 0; ++digits) {
    value = value * 16 + hex_value(*cursor.at++);
  }
  return static_cast<char>(value);
}

// Whether a '>' followed by this text ends a descriptor's path. Older versions of strace print
// '>' inside of paths as it is, -yy prints "->" inside of sockets: only what can follow a
// descriptor ends it.
bool ends_descriptor_path(std::string_view rest) {
  if (rest.empty() || std::strchr(",)]}", rest.front()) != nullptr) return rest.front() != '\0';
  if (rest.front() != ' ') return rest.starts_with("(deleted)");
  return rest.size() == 1 || std::strchr("[=|/<(", rest[1]) != nullptr;
}

// "/dev/pts/0<char 136:0>" without its end.
std::string_view without_device_note(std::string_view raw) {
  if (!raw.ends_with('>')) return raw;
  for (const std::string_view note : {"<char ", "<block "}) {
    const std::size_t found = raw.rfind(note);
    if (found != std::string_view::npos) return raw.substr(0, found);
  }
  return raw;
}

bool skip_comment(Cursor& cursor) {
  const std::size_t found = cursor.rest().find("*/");
  if (found == std::string_view::npos) return false;
  cursor.at += found + 2;
  return true;
}

// At a '<': a descriptor's path, a shift, or a sign of no meaning.
bool skip_angle(Cursor& cursor, const char* begin) {
  if (cursor.rest().starts_with("<<")) {
    cursor.at += 2;
    return true;
  }
  std::string_view raw;
  const char before = cursor.at == begin ? '\0' : cursor.at[-1];
  if (is_digit(before) || before == 'D' || before == '/') return take_descriptor_path(cursor, raw);
  ++cursor.at;
  return true;
}

}  // namespace

std::string_view StringDecoder::decode(std::string_view raw) {
  if (raw.empty()) return raw;
  const void* const first = std::memchr(raw.data(), '\\', raw.size());
  if (first == nullptr) return raw;
  assert(used_ < slots_.size());
  std::string& slot = slots_[used_++];
  slot.assign(raw.data(), static_cast<const char*>(first));
  Cursor cursor{static_cast<const char*>(first), raw.data() + raw.size()};
  while (!cursor.done()) {
    const char c = *cursor.at++;
    slot.push_back(c == '\\' && !cursor.done() ? decode_escape(cursor) : c);
  }
  return slot;
}

bool take_string(Cursor& cursor, std::string_view& raw, bool& truncated) {
  if (!cursor.take('"')) return false;
  const char* const begin = cursor.at;
  for (;;) {
    const void* const found = cursor.done() ? nullptr : std::memchr(cursor.at, '"', cursor.left());
    if (found == nullptr) return false;
    const char* const quote = static_cast<const char*>(found);
    const char* backslash = quote;
    while (backslash != begin && backslash[-1] == '\\') --backslash;
    cursor.at = quote + 1;
    if ((quote - backslash) % 2 != 0) continue;
    raw = std::string_view(begin, static_cast<std::size_t>(quote - begin));
    truncated = cursor.take("...");
    return true;
  }
}

bool take_descriptor_path(Cursor& cursor, std::string_view& raw) {
  if (!cursor.take('<')) return false;
  const char* const begin = cursor.at;
  for (;;) {
    const void* const found = cursor.done() ? nullptr : std::memchr(cursor.at, '>', cursor.left());
    if (found == nullptr) return false;
    const char* const bracket = static_cast<const char*>(found);
    cursor.at = bracket + 1;
    if (!cursor.done() && !ends_descriptor_path(cursor.rest())) continue;
    raw = std::string_view(begin, static_cast<std::size_t>(bracket - begin));
    cursor.take("(deleted)");
    constexpr std::string_view kOlderMark = " (deleted)";
    if (raw.ends_with(kOlderMark)) raw.remove_suffix(kOlderMark.size());
    raw = without_device_note(raw);
    return true;
  }
}

bool skip_value(Cursor& cursor) {
  const char* const begin = cursor.at;
  int depth = 0;
  while (!cursor.done()) {
    switch (*cursor.at) {
      case ',':
        if (depth == 0) return true;
        break;
      case '(':
      case '[':
      case '{':
        ++depth;
        break;
      case ')':
      case ']':
      case '}':
        if (depth == 0) return true;
        --depth;
        break;
      case '"': {
        std::string_view raw;
        bool truncated = false;
        if (!take_string(cursor, raw, truncated)) return false;
        continue;
      }
      case '/':
        if (!cursor.rest().starts_with("/*")) break;
        if (!skip_comment(cursor)) return false;
        continue;
      case '<':
        if (!skip_angle(cursor, begin)) return false;
        continue;
      default:
        break;
    }
    ++cursor.at;
  }
  return false;
}

}  // namespace fcsim::traces::strace
