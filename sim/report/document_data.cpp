// The forms for programs.
#include <algorithm>
#include <charconv>

#include "sim/report/document.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells)
    line += (&cell == &cells.front() ? "" : ",") + support::csv_field(cell);
  return line + "\n";
}

bool has_remarks(const Table& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const Row& row) { return !row.remark.empty(); });
}

// With one cell for each column, and the remark as the last one where the table has any.
std::vector<std::string> all_cells(const Table& table, const Row& row) {
  std::vector<std::string> cells = row.cells;
  cells.resize(table.columns.size());
  if (has_remarks(table)) cells.push_back(row.remark);
  return cells;
}

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  if (has_remarks(table)) names.emplace_back("remark");
  return names;
}

Table table_of(const Counts& counts) {
  Table table({"name", "count", "remark"}, {true, false, true});
  for (const Count& count : counts.rows)
    table.add({count.name, std::to_string(count.value), count.remark});
  return table;
}

std::string csv_in_section(const Table& table, const std::string& section) {
  const auto with_section = [&](const std::string& first, std::vector<std::string> cells) {
    cells.insert(cells.begin(), first);
    return csv_line(cells);
  };
  std::string text = with_section("section", column_names(table));
  for (const Row& row : table.rows) text += with_section(section, all_cells(table, row));
  return text;
}

// The number that a cell is as a whole, else its text.
support::Json value_of(const std::string& cell) {
  std::int64_t whole = 0;
  const char* const end = cell.data() + cell.size();
  if (const auto read = std::from_chars(cell.data(), end, whole);
      read.ec == std::errc() && read.ptr == end)
    return whole;
  double real = 0;
  if (const auto read = std::from_chars(cell.data(), end, real, std::chars_format::fixed);
      read.ec == std::errc() && read.ptr == end)
    return real;
  return cell;
}

}  // namespace

support::Json json_of(const Table& table) {
  support::Json rows = support::Json::array();
  const std::vector<std::string> names = column_names(table);
  for (const Row& row : table.rows) {
    support::Json object = support::Json::object();
    const std::vector<std::string> cells = all_cells(table, row);
    for (std::size_t i = 0; i < cells.size(); ++i) object[names[i]] = value_of(cells[i]);
    rows.push_back(std::move(object));
  }
  return rows;
}

namespace {

class Sections {
 public:
  void operator()(const Heading& heading) { sections_.push_back({{"heading", heading.text}}); }
  void operator()(const Line& line) { section()["lines"].push_back(line.text); }
  void operator()(const Item& item) { section()["lines"].push_back(item.text); }
  void operator()(const Counts& counts) {
    for (const Count& count : counts.rows) section()["counts"][count.name] = count.value;
  }
  void operator()(const Table& table) { section()["tables"].push_back(json_of(table)); }
  void operator()(const Code& code) { section()["lines"].push_back(code.text); }
  void operator()(const Figure& figure) {
    (*this)(Heading{figure.title});
    (*this)(figure.table);
  }
  void operator()(const Gap&) {}

  support::Json take() { return std::move(sections_); }

 private:
  support::Json& section() {
    if (sections_.empty()) sections_.push_back({{"heading", ""}});
    return sections_.back();
  }
  support::Json sections_ = support::Json::array();
};

}  // namespace

std::string csv_of(const Table& table) {
  std::string text = csv_line(column_names(table));
  for (const Row& row : table.rows) text += csv_line(all_cells(table, row));
  return text;
}

std::string csv_of(const Document& document) {
  std::string text;
  std::string section;
  const auto add = [&](const Table& table, const std::string& heading) {
    text += (text.empty() ? "" : "\n") + csv_in_section(table, heading);
  };
  for (const Block& block : document.blocks()) {
    if (const auto* const heading = std::get_if<Heading>(&block)) section = heading->text;
    if (const auto* const table = std::get_if<Table>(&block)) add(*table, section);
    if (const auto* const figure = std::get_if<Figure>(&block)) add(figure->table, figure->title);
    if (const auto* const counts = std::get_if<Counts>(&block)) add(table_of(*counts), section);
  }
  return text;
}

support::Json json_of(const Document& document) {
  Sections sections;
  for (const Line& line : document.preface()) sections(line);
  for (const Block& block : document.blocks()) std::visit(sections, block);
  return {{"title", document.title()}, {"sections", sections.take()}};
}

}  // namespace fcsim::report
