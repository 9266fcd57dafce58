#include "sim/support/utf8.h"

namespace fcsim::support {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t position) {
  return static_cast<std::uint8_t>(text[position]);
}

bool is_continuation(std::uint8_t byte) {
  return (byte & 0xc0) == 0x80;
}

void append_escaped_byte(std::string& text, std::uint8_t byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text += "\\x";
  text += kHex[byte >> 4];
  text += kHex[byte & 15];
}

// C0 and C1 controls, DEL, marks and overrides of the direction of writing, line separators.
bool changes_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

Character character_at(std::string_view text, std::size_t position) {
  const std::uint8_t first = byte_at(text, position);
  if (first < 0x80) return {first, 1, true};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || position + size > text.size()) return {};
  char32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint8_t next = byte_at(text, position + i);
    if (!is_continuation(next)) return {};
    code = code << 6 | (next & 0x3fU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || surrogate) return {};
  return {code, size, true};
}

void append_utf8(std::string& text, char32_t code) {
  const auto append = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    append(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  } else {
    append(0xf0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3f));
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  }
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text)
    if (!is_continuation(static_cast<std::uint8_t>(c))) ++width;
  return width;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    const std::string_view bytes = text.substr(i, character.size);
    i += character.size;
    if (bytes == "\n")
      shown += "\\n";
    else if (bytes == "\t")
      shown += "\\t";
    else if (character.valid && !changes_terminal(character.code))
      shown += bytes;
    else
      for (const char c : bytes) append_escaped_byte(shown, static_cast<std::uint8_t>(c));
  }
  return shown;
}

}  // namespace fcsim::support
