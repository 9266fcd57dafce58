#include "sim/report/page/figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/support/utf8.h"

namespace fcsim::report::page {
namespace {

using support::Json;

// The reports' tables show names as a terminal may show them; the figures show the same.
Table printable(Table table) {
  for (Row& row : table.rows) {
    for (std::string& cell : row.cells) cell = support::printable(cell);
    row.remark = support::printable(row.remark);
  }
  return table;
}

Json base(unsigned height) {
  return {{"autosize", {{"type", "fit"}, {"contains", "padding"}}},
          {"width", 600},
          {"height", height},
          {"padding", 4},
          {"signals", Json::array()},
          {"data", Json::array({{{"name", "rows"}}})},
          {"scales", Json::array()},
          {"axes", Json::array()},
          {"marks", Json::array()}};
}

// "datum['name']" of an expression; names are ours and hold no quotes.
std::string datum(const std::string& column) {
  return "datum['" + column + "']";
}

// A column's name where Vega would take a dot for a path.
std::string field_of(const std::string& column) {
  std::string field;
  for (const char c : column) field += c == '.' ? std::string("\\.") : std::string(1, c);
  return field;
}

Json folded(const std::vector<std::string>& parts) {
  return {{"type", "fold"}, {"fields", parts}, {"as", {"kind", "value"}}};
}

Json color_scale(const std::vector<std::string>& parts) {
  return {{"name", "color"}, {"type", "ordinal"}, {"domain", parts}, {"range", "category"}};
}

void add_legend(Json& specification, const std::vector<std::string>& parts) {
  if (parts.size() < 2) return;
  specification["legends"] =
      Json::array({{{"fill", "color"},
                    {"orient", "top"},
                    {"direction", "horizontal"},
                    {"columns", {{"signal", "max(1, floor(width / 150))"}}}}});
}

Json value_axis(const char* orient, const std::string& title) {
  return {{"orient", orient}, {"scale", "value"},    {"title", title},
          {"grid", true},     {"tickCount", 5},      {"format", "~s"},
          {"domain", false},  {"labelFlush", false}, {"labelOverlap", true}};
}

// Long names are cut on narrow screens.
Json category_axis() {
  return {
      {"orient", "left"},
      {"scale", "category"},
      {"ticks", false},
      {"domain", false},
      {"labelPadding", 6},
      {"encode", {{"labels", {{"update", {{"limit", {{"signal", "max(70, width * 0.35)"}}}}}}}}}};
}

Json reading() {
  return {{"signal", "datum"}};
}

Json stack(const std::string& category) {
  return {{"type", "stack"}, {"groupby", {category}}, {"field", "value"}, {"as", {"low", "high"}}};
}

constexpr unsigned kBarHeight = 24;

unsigned height_of_bars(const Table& table, std::size_t bars) {
  return 60 + static_cast<unsigned>(table.rows.size() * (kBarHeight + 12 * (bars - 1)));
}

double number_of(const std::string& cell) {
  double value = 0;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

std::size_t column_index(const Table& table, const std::string& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return static_cast<std::size_t>(found - table.columns.begin());
}

bool wants_logarithm(const Table& table, const std::string& x) {
  const std::size_t index = column_index(table, x);
  double least = INFINITY;
  double most = 0;
  for (const Row& row : table.rows) {
    least = std::min(least, number_of(row.cells[index]));
    most = std::max(most, number_of(row.cells[index]));
  }
  return least > 0 && most >= 8 * least;
}

}  // namespace

Figure stacked_bars(std::string title, Table table, const std::string& category,
                    const std::vector<std::string>& parts, const std::string& unit) {
  Json specification = base(height_of_bars(table, 1));
  specification["data"].push_back(
      {{"name", "long"}, {"source", "rows"}, {"transform", {folded(parts), stack(category)}}});
  specification["scales"] = {{{"name", "category"},
                              {"type", "band"},
                              {"domain", {{"data", "rows"}, {"field", category}}},
                              {"range", "height"},
                              {"padding", 0.2}},
                             {{"name", "value"},
                              {"domain", {{"data", "long"}, {"field", "high"}}},
                              {"range", "width"},
                              {"nice", true},
                              {"zero", true}},
                             color_scale(parts)};
  specification["axes"] = {value_axis("bottom", unit), category_axis()};
  add_legend(specification, parts);
  specification["marks"] = Json::array({{{"type", "rect"},
                                         {"from", {{"data", "long"}}},
                                         {"encode",
                                          {{"update",
                                            {{"y", {{"scale", "category"}, {"field", category}}},
                                             {"height", {{"scale", "category"}, {"band", 1}}},
                                             {"x", {{"scale", "value"}, {"field", "low"}}},
                                             {"x2", {{"scale", "value"}, {"field", "high"}}},
                                             {"fill", {{"scale", "color"}, {"field", "kind"}}},
                                             {"fillOpacity", {{"value", 1}}},
                                             {"tooltip", reading()}}},
                                           {"hover", {{"fillOpacity", {{"value", 0.7}}}}}}}}});
  return {std::move(title), std::move(specification), printable(std::move(table))};
}

Figure paired_bars(std::string title, Table table, const std::string& category,
                   const std::vector<std::string>& sides, const std::string& unit) {
  Json specification = base(height_of_bars(table, sides.size()));
  specification["data"].push_back(
      {{"name", "long"}, {"source", "rows"}, {"transform", Json::array({folded(sides)})}});
  specification["scales"] = {{{"name", "category"},
                              {"type", "band"},
                              {"domain", {{"data", "rows"}, {"field", category}}},
                              {"range", "height"},
                              {"padding", 0.25}},
                             {{"name", "side"},
                              {"type", "band"},
                              {"domain", sides},
                              {"range", Json::array({0, {{"signal", "bandwidth('category')"}}})}},
                             {{"name", "value"},
                              {"domain", {{"data", "long"}, {"field", "value"}}},
                              {"range", "width"},
                              {"nice", true},
                              {"zero", true}},
                             color_scale(sides)};
  specification["axes"] = {value_axis("bottom", unit), category_axis()};
  add_legend(specification, sides);
  specification["marks"] = Json::array({{{"type", "rect"},
                                         {"from", {{"data", "long"}}},
                                         {"encode",
                                          {{"update",
                                            {{"y",
                                              {{"scale", "category"},
                                               {"field", category},
                                               {"offset", {{"scale", "side"}, {"field", "kind"}}}}},
                                             {"height", {{"scale", "side"}, {"band", 1}}},
                                             {"x", {{"scale", "value"}, {"value", 0}}},
                                             {"x2", {{"scale", "value"}, {"field", "value"}}},
                                             {"fill", {{"scale", "color"}, {"field", "kind"}}},
                                             {"fillOpacity", {{"value", 1}}},
                                             {"tooltip", reading()}}},
                                           {"hover", {{"fillOpacity", {{"value", 0.7}}}}}}}}});
  return {std::move(title), std::move(specification), printable(std::move(table))};
}

Figure columns(std::string title, Table table, const std::string& category,
               const std::vector<std::string>& parts, const std::string& category_title,
               const std::string& unit) {
  Json specification = base(240);
  specification["data"].push_back(
      {{"name", "long"}, {"source", "rows"}, {"transform", {folded(parts), stack(category)}}});
  specification["scales"] = {{{"name", "category"},
                              {"type", "band"},
                              {"domain", {{"data", "rows"}, {"field", category}}},
                              {"range", "width"},
                              {"padding", 0.1}},
                             {{"name", "value"},
                              {"domain", {{"data", "long"}, {"field", "high"}}},
                              {"range", "height"},
                              {"nice", true},
                              {"zero", true}},
                             color_scale(parts)};
  specification["axes"] = {value_axis("left", unit),
                           {{"orient", "bottom"},
                            {"scale", "category"},
                            {"title", category_title},
                            {"labelOverlap", true},
                            {"ticks", false},
                            {"labelPadding", 4}}};
  add_legend(specification, parts);
  specification["marks"] = Json::array({{{"type", "rect"},
                                         {"from", {{"data", "long"}}},
                                         {"encode",
                                          {{"update",
                                            {{"x", {{"scale", "category"}, {"field", category}}},
                                             {"width", {{"scale", "category"}, {"band", 1}}},
                                             {"y", {{"scale", "value"}, {"field", "low"}}},
                                             {"y2", {{"scale", "value"}, {"field", "high"}}},
                                             {"fill", {{"scale", "color"}, {"field", "kind"}}},
                                             {"fillOpacity", {{"value", 1}}},
                                             {"tooltip", reading()}}},
                                           {"hover", {{"fillOpacity", {{"value", 0.7}}}}}}}}});
  return {std::move(title), std::move(specification), printable(std::move(table))};
}

Figure curve(std::string title, Table table, const std::string& x,
             const std::vector<std::string>& curves, const std::string& group,
             std::optional<double> knee) {
  Json specification = base(280);
  const bool logarithm = wants_logarithm(table, x);
  specification["data"].push_back(
      {{"name", "long"}, {"source", "rows"}, {"transform", Json::array({folded(curves)})}});
  if (!group.empty())
    specification["data"].back()["transform"].push_back(
        {{"type", "formula"}, {"as", "kind"}, {"expr", "datum.kind + ', ' + " + datum(group)}});
  Json x_scale = {{"name", "x"},
                  {"type", logarithm ? "log" : "linear"},
                  {"domain", {{"data", "rows"}, {"field", field_of(x)}}},
                  {"range", "width"}};
  if (logarithm)
    x_scale["base"] = 2;
  else
    x_scale["zero"] = false;
  specification["scales"] = {x_scale,
                             {{"name", "value"},
                              {"domain", {{"data", "long"}, {"field", "value"}}},
                              {"range", "height"},
                              {"nice", true},
                              {"zero", true}},
                             {{"name", "color"},
                              {"type", "ordinal"},
                              {"domain", {{"data", "long"}, {"field", "kind"}}},
                              {"range", "category"}}};
  specification["axes"] = {value_axis("left", "commits"),
                           {{"orient", "bottom"},
                            {"scale", "x"},
                            {"title", x},
                            {"labelOverlap", true},
                            {"format", ","}}};
  specification["legends"] =
      Json::array({{{"fill", "color"},
                    {"orient", "top"},
                    {"direction", "horizontal"},
                    {"columns", {{"signal", "max(1, floor(width / 200))"}}}}});
  const Json at = {{"x", {{"scale", "x"}, {"field", field_of(x)}}},
                   {"y", {{"scale", "value"}, {"field", "value"}}}};
  Json line = at;
  line["stroke"] = {{"scale", "color"}, {"field", "kind"}};
  line["strokeWidth"] = {{"value", 2}};
  Json point = at;
  point["fill"] = {{"scale", "color"}, {"field", "kind"}};
  point["size"] = {{"value", 45}};
  point["tooltip"] = reading();
  specification["marks"] = Json::array(
      {{{"type", "group"},
        {"from", {{"facet", {{"name", "one"}, {"data", "long"}, {"groupby", "kind"}}}}},
        {"marks",
         Json::array(
             {{{"type", "line"}, {"from", {{"data", "one"}}}, {"encode", {{"update", line}}}}})}},
       {{"type", "symbol"},
        {"from", {{"data", "long"}}},
        {"encode", {{"update", point}, {"hover", {{"size", {{"value", 120}}}}}}}}});
  if (knee) {
    specification["marks"].push_back({{"type", "rule"},
                                      {"encode",
                                       {{"update",
                                         {{"x", {{"scale", "x"}, {"value", *knee}}},
                                          {"y", {{"value", 0}}},
                                          {"y2", {{"signal", "height"}}},
                                          {"stroke", {{"value", "#d55e00"}}},
                                          {"strokeDash", {{"value", {4, 3}}}}}}}}});
    specification["marks"].push_back({{"type", "text"},
                                      {"encode",
                                       {{"update",
                                         {{"x", {{"scale", "x"}, {"value", *knee}, {"offset", 5}}},
                                          {"y", {{"value", 10}}},
                                          {"text", {{"value", "knee"}}},
                                          {"fontSize", {{"value", 11}}}}}}}});
  }
  return {std::move(title), std::move(specification), printable(std::move(table))};
}

// ---- timeline -------------------------------------------------------------------------------

namespace {

constexpr unsigned kGap = 30;    // between panels: a title
constexpr unsigned kStrip = 34;  // in which a part of the time is chosen
constexpr unsigned kAxis = 36;

// Colours of all parts, in one domain for all panels.
std::vector<std::string> all_parts(const std::vector<Panel>& panels) {
  std::vector<std::string> parts;
  for (const Panel& panel : panels)
    for (const std::string& part : panel.parts) parts.push_back(part);
  return parts;
}

Json panel_group(const Panel& panel, unsigned index, unsigned top, double part_seconds) {
  const std::string data = "panel" + std::to_string(index);
  Json scale = {{"name", "value"},
                {"domain", {{"data", data}, {"field", "high"}}},
                {"range", Json::array({panel.height, 0})},
                {"nice", true},
                {"zero", true}};
  if (panel.limit)
    scale["domain"] = {{"fields", Json::array({{{"data", data}, {"field", "high"}},
                                               Json::array({0, *panel.limit})})}};
  Json marks = Json::array(
      {{{"type", "rect"},
        {"from", {{"data", data}}},
        {"encode",
         {{"update",
           {{"x", {{"scale", "x"}, {"field", "seconds"}}},
            {"x2", {{"scale", "x"}, {"signal", "datum.seconds + " + std::to_string(part_seconds)}}},
            {"y", {{"scale", "value"}, {"field", "low"}}},
            {"y2", {{"scale", "value"}, {"field", "high"}}},
            {"fill", {{"scale", "color"}, {"field", "kind"}}},
            {"fillOpacity", {{"value", 1}}},
            {"tooltip", reading()}}},
          {"hover", {{"fillOpacity", {{"value", 0.6}}}}}}}}});
  if (panel.limit)
    marks.push_back({{"type", "rule"},
                     {"encode",
                      {{"update",
                        {{"x", {{"value", 0}}},
                         {"x2", {{"signal", "width"}}},
                         {"y", {{"scale", "value"}, {"value", *panel.limit}}},
                         {"stroke", {{"value", "#d55e00"}}},
                         {"strokeDash", {{"value", {4, 3}}}}}}}}});
  // What is drawn is cut at the panel's edges; its title and axis are not.
  const Json size = {{"width", {{"signal", "width"}}}, {"height", {{"value", panel.height}}}};
  Json inner_size = size;
  inner_size["clip"] = {{"value", true}};
  Json outer_size = size;
  outer_size["y"] = {{"value", top}};
  Json inner = {{"type", "group"},
                {"encode", {{"update", std::move(inner_size)}}},
                {"marks", std::move(marks)}};
  return {{"type", "group"},
          {"title", {{"text", panel.title}, {"offset", 4}}},
          {"encode", {{"update", std::move(outer_size)}}},
          {"scales", Json::array({std::move(scale)})},
          {"axes", Json::array({{{"orient", "left"},
                                 {"scale", "value"},
                                 {"tickCount", 3},
                                 {"format", "~s"},
                                 {"grid", true},
                                 {"domain", false},
                                 {"minExtent", 34},
                                 {"maxExtent", 34}}})},
          {"marks", Json::array({std::move(inner)})}};
}

Json strip_group(unsigned top, double whole, const std::string& column, double part_seconds) {
  const Json brush =
      Json::array({{{"events", "@strip:mousedown"}, {"update", "[x(), x()]"}},
                   {{"events", "[@strip:mousedown, window:mouseup] > window:mousemove!"},
                    {"update", "[brush[0], clamp(x(), 0, width)]"}},
                   {{"events", "@strip:dblclick"}, {"update", "[0, 0]"}}});
  const Json chosen =
      Json::array({{{"events", {{"signal", "brush"}}},
                    {"update",
                     "span(brush) > 3 ? invert('whole', [min(brush[0], brush[1]), max(brush[0], "
                     "brush[1])]) : null"}}});
  return {{"type", "group"},
          {"name", "strip"},
          {"encode",
           {{"update",
             {{"y", {{"value", top}}},
              {"width", {{"signal", "width"}}},
              {"height", {{"value", kStrip}}},
              {"fill", {{"value", "transparent"}}},
              {"cursor", {{"value", "crosshair"}}}}}}},
          {"signals", Json::array({{{"name", "brush"}, {"value", {0, 0}}, {"on", brush}},
                                   {{"name", "selected"}, {"push", "outer"}, {"on", chosen}}})},
          {"scales", Json::array({{{"name", "whole"}, {"domain", {0, whole}}, {"range", "width"}},
                                  {{"name", "count"},
                                   {"domain", {{"data", "rows"}, {"field", column}}},
                                   {"range", Json::array({kStrip, 0})},
                                   {"zero", true}}})},
          {"axes", Json::array({{{"orient", "bottom"},
                                 {"scale", "whole"},
                                 {"title",
                                  "the whole time; drag here to look at a part of it, "
                                  "double click for all"},
                                 {"labelOverlap", true}}})},
          {"marks",
           Json::array({{{"type", "rect"},
                         {"interactive", false},
                         {"from", {{"data", "rows"}}},
                         {"encode",
                          {{"update",
                            {{"x", {{"scale", "whole"}, {"field", "seconds"}}},
                             {"x2",
                              {{"scale", "whole"},
                               {"signal", "datum.seconds + " + std::to_string(part_seconds)}}},
                             {"y", {{"scale", "count"}, {"field", column}}},
                             {"y2", {{"scale", "count"}, {"value", 0}}},
                             {"fill", {{"value", "#8a949e"}}}}}}}},
                        {{"type", "rect"},
                         {"interactive", false},
                         {"encode",
                          {{"update",
                            {{"x", {{"signal", "selected ? scale('whole', selected[0]) : 0"}}},
                             {"x2", {{"signal", "selected ? scale('whole', selected[1]) : width"}}},
                             {"y", {{"value", 0}}},
                             {"y2", {{"value", kStrip}}},
                             {"fill", {{"value", "#0072b2"}}},
                             {"fillOpacity", {{"signal", "selected ? 0.25 : 0"}}}}}}}}})}};
}

}  // namespace

Figure timeline(std::string title, Table table, const std::vector<Panel>& panels,
                double part_seconds) {
  unsigned height = kGap;
  std::vector<unsigned> tops;
  for (const Panel& panel : panels) {
    tops.push_back(height);
    height += panel.height + kGap;
  }
  const unsigned strip = height + kAxis - kGap / 2;
  Json specification = base(strip + kStrip);
  // Heights are the panels': only the width follows the page.
  specification["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  const double whole = part_seconds * static_cast<double>(table.rows.size());
  specification["signals"] =
      Json::array({{{"name", "selected"}, {"value", nullptr}, {"whole", {0, whole}}}});
  const std::vector<std::string> parts = all_parts(panels);
  specification["scales"] = Json::array({{{"name", "x"},
                                          {"domain", {0, whole}},
                                          {"domainRaw", {{"signal", "selected"}}},
                                          {"range", "width"}},
                                         color_scale(parts)});
  for (unsigned i = 0; i < panels.size(); ++i) {
    specification["data"].push_back({{"name", "panel" + std::to_string(i)},
                                     {"source", "rows"},
                                     {"transform",
                                      {folded(panels[i].parts),
                                       {{"type", "filter"}, {"expr", "datum.value > 0"}},
                                       stack("seconds")}}});
    specification["marks"].push_back(panel_group(panels[i], i, tops[i], part_seconds));
  }
  specification["marks"].push_back({{"type", "group"},
                                    {"encode",
                                     {{"update",
                                       {{"y", {{"value", height - kGap}}},
                                        {"width", {{"signal", "width"}}},
                                        {"height", {{"value", 0}}}}}}},
                                    {"axes", Json::array({{{"orient", "bottom"},
                                                           {"scale", "x"},
                                                           {"title", "seconds"},
                                                           {"labelOverlap", true}}})}});
  specification["marks"].push_back(
      strip_group(strip, whole, panels.front().parts.front(), part_seconds));
  const std::vector<std::string>& first = panels.front().parts;
  if (first.size() > 1)
    specification["legends"] =
        Json::array({{{"fill", "color"},
                      {"orient", "top"},
                      {"direction", "horizontal"},
                      {"values", first},
                      {"columns", {{"signal", "max(1, floor(width / 150))"}}}}});
  return {std::move(title), std::move(specification), printable(std::move(table))};
}

}  // namespace fcsim::report::page
