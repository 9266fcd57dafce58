#include "sim/support/text.h"

#include <algorithm>
#include <charconv>

#include "sim/support/utf8.h"

namespace fcsim::support {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_formula(std::string_view text) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  return text.size() > 1 && kBegins.find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

std::string decimal(double value, int digits) {
  char text[512];
  const auto result =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return std::string(text, result.ptr);
}

std::string percent(std::uint64_t a, std::uint64_t b) {
  if (b == 0) return "-";
  const std::uint64_t tenths = (a * 2000 + b) / (2 * b);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

// By integers alone: the same digits on every machine.
std::string ratio(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t hundredths = (a * 200 + b) / (2 * b);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() == 1 ? "0" : "") + rest;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string csv_field(std::string_view text) {
  const std::string field = (is_formula(text) ? "'" : "") + printable(text);
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
    return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace fcsim::support
