#include "sim/configuration/toml_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <variant>

#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::configuration {

std::string toml_string(std::string_view bytes) {
  std::string result = "\"";
  for (const char character : support::name_for_json(bytes)) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += {'\\', character};
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(byte));
      result += escape.data();
    } else {
      result += character;
    }
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
