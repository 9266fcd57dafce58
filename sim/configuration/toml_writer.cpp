#include "sim/configuration/toml_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <variant>

#include "sim/support/text.h"

namespace fcsim::configuration {
namespace {

// Bytes of the UTF-8 character at the front of `text`; 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0U) == 0x80U; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xC2 && byte(0) < 0xE0) return follows(1) ? 2 : 0;
  if ((byte(0) & 0xF0U) == 0xE0U) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = byte(0) == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = byte(0) == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (byte(0) < 0xF0 || byte(0) > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  const bool outside = (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) >= 0x90);
  return outside ? 0 : 4;
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (byte == '"' || byte == '\\') {
      result += {'\\', text.front()};
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(byte));
      result += escape.data();
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + "\"";
}

void TomlWriter::table(std::string_view name) {
  if (!result_.empty()) result_ += "\n";
  result_ += name;
  result_ += "\n";
}

void TomlWriter::key(std::string_view name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  result_ += bare ? std::string(name) : toml_string(name);
  result_ += " = ";
}

void TomlWriter::integer(std::string_view name, std::int64_t value) {
  key(name);
  result_ += std::to_string(value) + "\n";
}

void TomlWriter::boolean(std::string_view name, bool value) {
  key(name);
  result_ += value ? "true\n" : "false\n";
}

void TomlWriter::text(std::string_view name, std::string_view value) {
  key(name);
  result_ += toml_string(value) + "\n";
}

void TomlWriter::texts(std::string_view name, const std::vector<std::string>& values) {
  key(name);
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ", ") + toml_string(value);
  result_ += "[" + list + "]\n";
}

void TomlWriter::real(std::string_view name, double value) {
  key(name);
  std::array<char, 400> text{};  // the longest double has 309 digits before its point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 6).ptr;
  result_ += std::string(text.data(), end) + "\n";
}

void TomlWriter::value(std::string_view name, const Value& value) {
  struct Write {
    TomlWriter& writer;
    std::string_view name;
    void operator()(bool flag) const { writer.boolean(name, flag); }
    void operator()(std::int64_t number) const { writer.integer(name, number); }
    void operator()(double number) const { writer.real(name, number); }
    void operator()(const std::string& text) const { writer.text(name, text); }
    void operator()(const std::vector<std::string>& texts) const { writer.texts(name, texts); }
    void operator()(const std::vector<std::int64_t>&) const { assert(false); }  // no key has it
    void operator()(const UnusableValue&) const { assert(false); }
  };
  std::visit(Write{*this, name}, value);
}

void TomlWriter::seconds(std::string_view name, std::int64_t nanoseconds) {
  key(name);
  result_ += support::seconds_text(nanoseconds, 6) + "\n";
}

}  // namespace fcsim::configuration
