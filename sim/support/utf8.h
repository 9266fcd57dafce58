// Names are bytes: the kernel allows all but '/' and 0. What of them is UTF-8?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fcsim::support {

// One character of a text.
struct Character {
  char32_t code = 0;     // valid only
  std::size_t size = 1;  // in bytes; 1 where the byte is not part of UTF-8
  bool valid = false;
};

// The character that begins at `position` < text.size(). Overlong forms, surrogates and numbers
// above U+10FFFF are not valid (RFC 3629).
Character character_at(std::string_view text, std::size_t position);

// `code` up to U+10FFFF as UTF-8.
void append_utf8(std::string& text, char32_t code);

// Columns of a terminal, one for each character.
std::size_t display_width(std::string_view text);

// For a terminal: control characters, bytes that are not UTF-8 and characters that change the
// direction of writing become "\n", "\t" or "\xNN" for each of their bytes.
std::string printable(std::string_view text);

}  // namespace fcsim::support
