#include "sim/support/json.h"

#include <cmath>
#include <cstdlib>

#include "sim/support/text.h"
#include "sim/support/utf8.h"

namespace fcsim::support {
namespace {

constexpr char32_t kByteBase = 0xef00;  // U+EF00 + byte
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kIndent = 2;

bool stands_for_byte(char32_t code) {
  return code >= kByteBase + 0x80 && code <= kByteBase + 0xff;
}

std::string split_lines(const Json& value, std::size_t indent);

std::string written(const Json& value, std::size_t indent) {
  std::string line = json_line(value);
  const bool fits = indent + line.size() <= kLineWidth;
  return fits || !value.is_structured() || value.empty() ? line : split_lines(value, indent);
}

std::string split_lines(const Json& value, std::size_t indent) {
  const std::string space(indent + kIndent, ' ');
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += (text.empty() ? "\n" : ",\n") + space;
    if (value.is_object()) text += json_string(key) + ": ";
    text += written(member, indent + kIndent);
  }
  text += "\n" + std::string(indent, ' ');
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string json_text(const Json& value) {
  return (value.is_structured() && !value.empty() ? split_lines(value, 0) : json_line(value)) +
         "\n";
}

std::string json_line(const Json& value) {
  if (value.is_string()) return json_string(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_string(key) + ": ";
    text += json_line(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void JsonLines::begin_member(std::string_view name) {
  text_ += text_.size() == 1 ? "\n" : ",\n";
  text_ += json_string(name) + ": ";
}

void JsonLines::lines(std::string_view name, const std::vector<std::string_view>& elements) {
  begin_member(name);
  text_ += '[';
  for (const std::string_view& element : elements) {
    text_ += &element == elements.data() ? "\n  " : ",\n  ";
    text_ += element;
  }
  text_ += ']';
}

std::string json_string(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string dumped = Json(name_for_json(bytes)).dump();
  std::string result;
  for (std::size_t i = 0; i < dumped.size();) {
    const Character character = character_at(dumped, i);
    if (character.code >= 0x7f && character.code < 0xa0) {
      result += "\\u00";
      result += kHex[character.code >> 4];
      result += kHex[character.code & 15];
    } else {
      result += dumped.substr(i, character.size);
    }
    i += character.size;
  }
  return result;
}

std::string name_for_json(std::string_view bytes) {
  std::string name;
  for (std::size_t i = 0; i < bytes.size();) {
    const Character character = character_at(bytes, i);
    const std::string_view taken = bytes.substr(i, character.size);
    i += character.size;
    if (character.valid && !stands_for_byte(character.code))
      name += taken;
    else
      for (const char c : taken) append_utf8(name, kByteBase + static_cast<unsigned char>(c));
  }
  return name;
}

std::string name_from_json(std::string_view utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size();) {
    const Character character = character_at(utf8, i);
    if (character.valid && stands_for_byte(character.code))
      bytes += static_cast<char>(character.code - kByteBase);
    else
      bytes += utf8.substr(i, character.size);
    i += character.size;
  }
  return bytes;
}

Json json_seconds(std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;  // apart: a double does not hold all of it
  return static_cast<double>(nanoseconds / second) +
         static_cast<double>(nanoseconds % second) / 1e9;
}

Json json_decimal(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  return Json::parse(decimal(value, digits));
}

}  // namespace fcsim::support
