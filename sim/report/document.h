// One answer as headings, sentences and tables, and the forms it is given in. A report says what it
// has to say once; text, Markdown, CSV and JSON follow from that. All return text and print
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/support/json.h"

namespace fcsim::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string name;  // may be ""
  Align align = Align::right;
};

struct Row {
  std::vector<std::string> cells;  // as many as columns, or fewer where `remark` says why
  std::string remark;              // after the last cell; widens no column of the text form
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;

  Table() = default;
  // The columns named in `left` by position are aligned left.
  explicit Table(std::vector<std::string> names, std::vector<bool> left = {});
  void add(std::vector<std::string> cells, std::string remark = "") {
    rows.push_back({std::move(cells), std::move(remark)});
  }
};

struct Heading {
  std::string text;
};

// A sentence, or a name with its value. The text form indents it by two spaces a level; in Markdown
// it is an item of a list where the level is not 0.
struct Line {
  std::string text;
  std::size_t level = 0;
};

// An item of a list.
struct Item {
  std::string text;
};

// Counts by name with remarks, in columns that are the same for every report.
struct Count {
  std::string name;
  std::uint64_t value = 0;
  std::string remark;
};
struct Counts {
  std::vector<Count> rows;
};

// A command for a shell; lines are broken where it says.
struct Code {
  std::string text;
};

// A picture of a table. Forms without pictures give the table.
struct Figure {
  std::string title;
  // A Vega specification. The page adds {"name": "rows", "values": rows of `table`} to its data, a
  // signal "width", and the colours.
  support::Json specification;
  Table table;
};

// Distance in the text form; nothing elsewhere.
struct Gap {};

using Block = std::variant<Heading, Line, Item, Counts, Table, Code, Figure, Gap>;

class Document {
 public:
  // `title` is the answer in one line; may be "".
  explicit Document(std::string title = "") : title_(std::move(title)) {}

  // A line that the text form prints before the title.
  void preface(std::string text, std::size_t level = 0) {
    preface_.push_back({std::move(text), level});
  }
  void heading(std::string text) { blocks_.emplace_back(Heading{std::move(text)}); }
  void line(std::string text, std::size_t level = 0) {
    blocks_.emplace_back(Line{std::move(text), level});
  }
  void item(std::string text) { blocks_.emplace_back(Item{std::move(text)}); }
  // A heading and the items; nothing where there are none.
  void list(const std::string& title, const std::vector<std::string>& items);
  // Joins the counts before it. A count of 0 says nothing and is left out.
  void count(std::string name, std::uint64_t value, std::string remark = "");
  void table(Table table) { blocks_.emplace_back(std::move(table)); }
  void code(std::string text) { blocks_.emplace_back(Code{std::move(text)}); }
  void figure(Figure figure) { blocks_.emplace_back(std::move(figure)); }
  void gap() { blocks_.emplace_back(Gap{}); }

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::vector<Line>& preface() const { return preface_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::string title_;
  std::vector<Line> preface_;
  std::vector<Block> blocks_;
};

struct TextStyle {
  bool color = false;     // ANSI escapes for title and headings
  std::size_t width = 0;  // sentences are broken at this many columns; 0: they are not
};

// For people. Control characters of names are escaped (support::printable).
std::string text_of(const Document& document, const TextStyle& style);

// GitHub's Markdown: tables are padded, so that they can also be read in mail.
std::string markdown_of(const Document& document);

// The tables and counts alone: a header and a line for each row; an empty line between two. The
// first column, "section", is the heading above.
std::string csv_of(const Document& document);

// {"title": "...", "sections": [{"heading": "...", "lines": [], "counts": {}, "tables": [[{column:
// cell}]]}]}; cells that are numbers are numbers.
support::Json json_of(const Document& document);

// The rows of a table as objects {column: cell}; cells that are numbers are numbers.
support::Json json_of(const Table& table);

// One table alone. CSV without "section".
std::string text_of(const Table& table);
std::string csv_of(const Table& table);

}  // namespace fcsim::report
