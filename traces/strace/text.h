// Small tools to walk through one line of text.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace fcsim::traces::strace {

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

inline bool is_name_character(char c) {
  return is_digit(c) || static_cast<unsigned char>((c | 0x20) - 'a') < 26 || c == '_';
}

// A place in a line and the line's end.
struct Cursor {
  const char* at = nullptr;
  const char* end = nullptr;

  [[nodiscard]] bool done() const { return at == end; }
  [[nodiscard]] char peek() const { return at == end ? '\0' : *at; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end - at); }
  [[nodiscard]] std::string_view rest() const { return {at, left()}; }

  bool take(char c) {
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }
  // Literals have a known size, which makes comparing them a load or two.
  template <std::size_t Size>
  bool take(const char (&text)[Size]) {
    if (left() < Size - 1 || std::memcmp(at, text, Size - 1) != 0) return false;
    at += Size - 1;
    return true;
  }
  void skip_spaces() {
    while (at != end && *at == ' ') ++at;
  }
};

// Why a line could not be parsed: the place, what was expected there and, where it says more than
// the place does, the word that was found instead.
struct Failure {
  const char* where = nullptr;
  std::string_view expected;
  std::string_view found;

  // Records the failure; returns false, to be returned on.
  bool at(const char* place, std::string_view expectation, std::string_view word = {}) {
    where = place;
    expected = expectation;
    found = word;
    return false;
  }
};

// Undoes strace's escapes. Text without a backslash is passed through as it is; other text is
// decoded into storage that is reused after clear().
class StringDecoder {
 public:
  std::string_view decode(std::string_view raw);
  void clear() { used_ = 0; }

 private:
  // No call has more strings than this that anyone asks for.
  std::array<std::string, 8> slots_;
  std::size_t used_ = 0;
};

// Moves after the string literal that begins at the cursor. `raw` is its inside, `truncated`
// whether "..." follows. False if there is none or it does not end.
bool take_string(Cursor& cursor, std::string_view& raw, bool& truncated);

// Moves after what -y prints after a descriptor, from '<' on. `raw` is the path without the
// notes of -yy on devices and without the mark of deleted files. False if it does not end.
bool take_descriptor_path(Cursor& cursor, std::string_view& raw);

// Moves to the ',' or the closing bracket that ends the value in which the cursor stands, over
// strings, comments, nested brackets and descriptors' paths. False if the line ends before.
bool skip_value(Cursor& cursor);

}  // namespace fcsim::traces::strace
