#include <algorithm>

#include "sim/report/document.h"
#include "sim/support/text.h"
#include "sim/support/utf8.h"

namespace fcsim::report {
namespace {

// Characters that Markdown would take for its own, and control characters. An underscore within a
// word is none.
std::string escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "\\`*|<>[]#";
  std::string result;
  for (const char c : support::printable(text)) {
    if (kSpecial.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - support::display_width(cell), ' ');
  return align == Align::left ? cell + space : space + cell;
}

// The table with the remarks as a column of their own, where a row has one.
Table with_remarks(const Table& table) {
  Table result = table;
  const bool remarks = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const Row& row) { return !row.remark.empty(); });
  if (remarks) result.columns.push_back({"", Align::left});
  for (Column& column : result.columns) column.name = escaped(column.name);
  for (Row& row : result.rows) {
    row.cells.resize(table.columns.size());
    if (remarks) row.cells.push_back(row.remark);
    for (std::string& cell : row.cells) cell = escaped(cell);
  }
  return result;
}

std::string table_text(const Table& given) {
  const Table table = with_remarks(given);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = std::max<std::size_t>(3, support::display_width(table.columns[i].name));
    for (const Row& row : table.rows) width = std::max(width, support::display_width(row.cells[i]));
    widths.push_back(width);
  }
  std::string header;
  std::string rule;
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Align align = table.columns[i].align;
    header += "| " + padded(table.columns[i].name, widths[i], align) + " ";
    rule += align == Align::left ? "|" + std::string(widths[i] + 2, '-')
                                 : "|" + std::string(widths[i] + 1, '-') + ":";
  }
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      text += "| " + padded(row.cells[i], widths[i], table.columns[i].align) + " ";
    text += "|\n";
  }
  return header + "|\n" + rule + "|\n" + text;
}

class MarkdownWriter {
 public:
  std::string write(const Document& document) {
    if (!document.title().empty()) begin(Kind::other) += "# " + escaped(document.title()) + "\n";
    for (const Line& line : document.preface()) (*this)(line);
    for (const Block& block : document.blocks()) std::visit(*this, block);
    return std::move(text_);
  }

  void operator()(const Heading& heading) {
    begin(Kind::other) += "## " + escaped(heading.text) + "\n";
  }
  void operator()(const Line& line) {
    if (line.level == 0)
      begin(Kind::other) += escaped(line.text) + "\n";
    else
      begin(Kind::item) += std::string(2 * line.level - 2, ' ') + "- " + escaped(line.text) + "\n";
  }
  void operator()(const Item& item) { begin(Kind::item) += "- " + escaped(item.text) + "\n"; }
  void operator()(const Counts& counts) {
    Table table({"", "count", ""}, {true, false, true});
    for (const Count& count : counts.rows)
      table.add({count.name, std::to_string(count.value), count.remark});
    (*this)(table);
  }
  void operator()(const Table& table) { begin(Kind::other) += table_text(table); }
  void operator()(const Code& code) {
    std::string& text = begin(Kind::other);
    for (const std::string& line : support::split(code.text, '\n'))
      text += "    " + support::printable(line) + "\n";
  }
  void operator()(const Figure& figure) {
    begin(Kind::other) += "### " + escaped(figure.title) + "\n";
    (*this)(figure.table);
  }
  void operator()(const Gap&) {}

 private:
  enum class Kind { other, item };

  // An empty line between two blocks, but not between two items.
  std::string& begin(Kind kind) {
    if (!text_.empty() && !(kind == Kind::item && last_ == Kind::item)) text_ += "\n";
    last_ = kind;
    return text_;
  }

  std::string text_;
  Kind last_ = Kind::other;
};

}  // namespace

std::string markdown_of(const Document& document) {
  return MarkdownWriter().write(document);
}

}  // namespace fcsim::report
