// The form for people.
#include <algorithm>

#include "sim/report/document.h"
#include "sim/support/text.h"
#include "sim/support/utf8.h"

namespace fcsim::report {
namespace {

std::string padding(std::size_t width, std::size_t used) {
  return std::string(width > used ? width - used : 0, ' ');
}

// Words in lines of `width` columns, the later ones indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  if (width <= indent || support::display_width(text) <= width) return text + "\n";
  std::string result;
  std::string line;
  std::size_t position = text.find_first_not_of(' ');
  line = text.substr(0, position);
  bool empty = true;
  while (position < text.size()) {
    const std::size_t end = std::min(text.find(' ', position), text.size());
    const std::string word = text.substr(position, end - position);
    if (!empty && support::display_width(line) + 1 + support::display_width(word) > width) {
      result += line + "\n";
      line = std::string(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    position = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return result + line + "\n";
}

class TextWriter {
 public:
  explicit TextWriter(const TextStyle& style) : style_(style) {}

  std::string write(const Document& document) {
    for (const Line& line : document.preface()) (*this)(line);
    if (!document.title().empty()) text_ += bold(document.title()) + "\n";
    for (const Block& block : document.blocks()) std::visit(*this, block);
    return std::move(text_);
  }

  void operator()(const Heading& heading) {
    text_ += (text_.empty() ? "" : "\n") + bold(heading.text) + "\n";
  }
  void operator()(const Line& line) {
    const std::size_t indent = 2 * line.level;
    text_ +=
        wrapped(std::string(indent, ' ') + support::printable(line.text), indent + 2, style_.width);
  }
  void operator()(const Item& item) {
    text_ += wrapped("  - " + support::printable(item.text), 4, style_.width);
  }
  void operator()(const Counts& counts) {
    constexpr std::size_t kNameWidth = 30;
    constexpr std::size_t kNumberWidth = 9;
    for (const Count& count : counts.rows) {
      const std::string name = support::printable(count.name);
      const std::string number = std::to_string(count.value);
      text_ += "  " + name +
               padding(std::max(kNameWidth, support::display_width(name) + 1),
                       support::display_width(name)) +
               padding(kNumberWidth, number.size()) + number +
               (count.remark.empty() ? "" : "  " + support::printable(count.remark)) + "\n";
    }
  }
  void operator()(const Table& table) { text_ += text_of(table); }
  void operator()(const Code& code) {
    for (const std::string& line : support::split(code.text, '\n'))
      text_ += "  " + support::printable(line) + "\n";
  }
  void operator()(const Figure& figure) {
    (*this)(Heading{figure.title});
    (*this)(figure.table);
  }
  void operator()(const Gap&) { text_ += "\n"; }

 private:
  [[nodiscard]] std::string bold(const std::string& text) const {
    const std::string shown = support::printable(text);
    return style_.color ? "\033[1m" + shown + "\033[0m" : shown;
  }

  const TextStyle& style_;
  std::string text_;
};

std::string table_line(const Table& table, const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i != 0) line += "  ";
    const std::string space = padding(widths[i], support::display_width(row.cells[i]));
    const bool left = table.columns[i].align == Align::left;
    line += left ? row.cells[i] + space : space + row.cells[i];
  }
  if (!row.remark.empty()) line += "  " + row.remark;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string text_of(const Document& document, const TextStyle& style) {
  return TextWriter(style).write(document);
}

std::string text_of(const Table& table) {
  std::vector<Row> rows(1);
  for (const Column& column : table.columns) rows.front().cells.push_back(column.name);
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (Row& row : rows) {
    row.remark = support::printable(row.remark);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      row.cells[i] = support::printable(row.cells[i]);
      widths[i] = std::max(widths[i], support::display_width(row.cells[i]));
    }
  }
  std::string text;
  for (const Row& row : rows) text += table_line(table, row, widths);
  return text;
}

}  // namespace fcsim::report
