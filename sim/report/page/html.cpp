#include "sim/report/page/html.h"

#include <string_view>

#include "sim/report/page/assets.h"
#include "sim/support/text.h"
#include "sim/support/utf8.h"

namespace fcsim::report::page {
namespace {

// Names are bytes of a trace: what is no text of a page becomes text.
std::string escape(const std::string& text) {
  std::string result;
  for (const char c : support::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JSON within a script element: "</script>" and "<!--" must not stand in it.
std::string script_json(const support::Json& value) {
  std::string result;
  for (const char c : support::json_line(value)) {
    if (c == '<')
      result += "\\u003c";
    else if (c == '>')
      result += "\\u003e";
    else if (c == '&')
      result += "\\u0026";
    else
      result += c;
  }
  return result;
}

std::string cell_html(const char* tag, const std::string& text, Align align) {
  return std::string("<") + tag + (align == Align::left ? " class=\"left\">" : ">") + escape(text) +
         "</" + tag + ">";
}

std::string table_html(const Table& table) {
  bool remarks = false;
  for (const Row& row : table.rows) remarks |= !row.remark.empty();
  std::string html = "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) html += cell_html("th", column.name, column.align);
  if (remarks) html += "<th></th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const Row& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      html += cell_html("td", i < row.cells.size() ? row.cells[i] : "", table.columns[i].align);
    if (remarks) html += cell_html("td", row.remark, Align::left);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// For a file's name.
std::string plain_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name.empty() ? "figure" : name;
}

class Writer {
 public:
  void operator()(const Heading& heading) {
    end_list();
    html_ += "<h2>" + escape(heading.text) + "</h2>\n";
  }
  void operator()(const Line& line) {
    if (line.level != 0) return (*this)(Item{line.text});
    end_list();
    html_ += "<p>" + escape(line.text) + "</p>\n";
  }
  void operator()(const Item& item) {
    if (!in_list_) html_ += "<ul>\n";
    in_list_ = true;
    html_ += "<li>" + escape(item.text) + "</li>\n";
  }
  void operator()(const Counts& counts) {
    Table table({"", "count", ""}, {true, false, true});
    for (const Count& count : counts.rows)
      table.add({count.name, std::to_string(count.value), count.remark});
    (*this)(table);
  }
  void operator()(const Table& table) {
    end_list();
    html_ += table_html(table);
  }
  void operator()(const Code& code) {
    end_list();
    std::string text;
    for (const std::string& line : support::split(code.text, '\n')) text += escape(line) + "\n";
    html_ += "<pre>" + text + "</pre>\n";
  }
  void operator()(const Figure& figure) {
    end_list();
    html_ += "<figure>\n<figcaption>" + escape(figure.title) + "</figcaption>\n";
    if (has_figures()) {
      html_ += "<div class=\"plot\" tabindex=\"0\" role=\"img\" aria-label=\"" +
               escape(figure.title) + ": left and right read it row by row\" data-figure=\"" +
               std::to_string(figures_.size()) +
               "\"></div>\n<div class=\"tools\"><span class=\"reading\" aria-live=\"polite\">"
               "</span></div>\n<details><summary>Table</summary>\n" +
               table_html(figure.table) + "</details>\n";
      support::Json columns = support::Json::array();
      for (const Column& column : figure.table.columns) columns.push_back(column.name);
      figures_.push_back({{"file", plain_name(figure.title)},
                          {"columns", std::move(columns)},
                          {"specification", figure.specification},
                          {"rows", json_of(figure.table)}});
    } else {
      html_ += table_html(figure.table);
    }
    html_ += "</figure>\n";
  }
  void operator()(const Gap&) {}

  std::string take() {
    end_list();
    return std::move(html_);
  }
  [[nodiscard]] const support::Json& figures() const { return figures_; }

 private:
  void end_list() {
    if (in_list_) html_ += "</ul>\n";
    in_list_ = false;
  }

  std::string html_;
  bool in_list_ = false;
  support::Json figures_ = support::Json::array();
};

// Vega's packages ask for each other by name; this gives them what they ask for.
constexpr std::string_view kBeforePackages = R"js('use strict';
const packages = {};
function packageOf(name, source) {
  const define = (needs, make) => {
    const made = {};
    make(...needs.map((need) => need === 'exports' ? made : packages[need]));
    packages[name] = made;
  };
  define.amd = true;
  source.call(globalThis, define);
}
)js";
constexpr std::string_view kAfterPackages = R"js(
const vega = { parse: packages['vega-parser'].parse, View: packages['vega-view'].View };
packages['vega-util'].extend(packages['vega-dataflow'].transforms, packages['vega-transforms'],
  packages['vega-view-transforms'], packages['vega-encode']);
)js";

// vega-functions asks for vega-selection by another name.
std::string_view asked_name(std::string_view package) {
  return package == "vega-selection" ? "vega-selections" : package;
}

std::string scripts() {
  std::string script =
      "<script>\n/* Vega, https://vega.github.io, (c) University of Washington "
      "Interactive Data Lab, BSD-3-Clause */\n";
  script += kBeforePackages;
  for (const Asset& package : vega_packages())
    script += "packageOf('" + std::string(asked_name(package.name)) + "', function (define) {\n" +
              std::string(package.text) + "\n});\n";
  script += kAfterPackages;
  script += "</script>\n<script>\n";
  script += page_js();
  return script + "</script>\n";
}

}  // namespace

bool has_figures() {
  static const bool has = !vega_packages().empty();
  return has;
}

std::string html_of(const Document& document) {
  Writer writer;
  for (const Block& block : document.blocks()) std::visit(writer, block);
  const std::string body = writer.take();
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      escape(document.title()) + "</title>\n<style>\n";
  html += page_css();
  html += "</style>\n</head>\n<body>\n<h1>" + escape(document.title()) + "</h1>\n";
  for (const Line& line : document.preface())
    html += "<p class=\"preface\">" + escape(line.text) + "</p>\n";
  if (!has_figures())
    html += "<p>This fcsim was built without Vega, so that figures are given as tables.</p>\n";
  html += body;
  if (has_figures())
    html +=
        "<div id=\"tooltip\" role=\"status\"></div>\n<script type=\"application/json\" "
        "id=\"figures\">" +
        script_json(writer.figures()) + "</script>\n" + scripts();
  return html + "</body>\n</html>\n";
}

}  // namespace fcsim::report::page
