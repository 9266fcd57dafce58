#include "sim/report/table.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fcsim::report {

TextTable::TextTable(std::vector<std::string> header, std::vector<bool> left)
    : left_(std::move(left)) {
  left_.resize(header.size(), false);
  rows_.push_back({std::move(header), {}});
}

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back({std::move(cells), {}});
}

void TextTable::add_remark(std::vector<std::string> cells, std::string remark) {
  rows_.push_back({std::move(cells), std::move(remark)});
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(left_.size(), 0);
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], row.cells[i].size());
  std::string text;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i != 0) line += "  ";
      const std::string space(widths[i] - row.cells[i].size(), ' ');
      line += left_[i] ? row.cells[i] + space : space + row.cells[i];
    }
    if (!row.remark.empty()) line += "  " + row.remark;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\u00";
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

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

}  // namespace fcsim::report
