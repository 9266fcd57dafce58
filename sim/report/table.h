// Small pieces of the text and JSON forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fcsim::report {

// Columns as wide as what they hold; the first line is the header. Columns named in `left` are
// aligned left, the others right. Each line ends in a line feed and in no space.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header, std::vector<bool> left = {});
  void add(std::vector<std::string> cells);
  // A row whose last cell may be as long as it likes: it widens no column.
  void add_remark(std::vector<std::string> cells, std::string remark);
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string remark;
  };
  std::vector<bool> left_;
  std::vector<Row> rows_;
};

// With quotes; control characters, quotes and backslashes escaped.
std::string json_string(std::string_view text);

// RFC 4180: quotes where a comma, a quote or a line end would be taken for the format's own.
std::string csv_field(std::string_view text);

// With `digits` decimals, the same on every machine ("." whatever the locale).
std::string decimal(double value, int digits);

// a / b in percent with one decimal; "-" for b = 0.
std::string percent(std::uint64_t a, std::uint64_t b);

}  // namespace fcsim::report
