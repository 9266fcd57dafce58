// Vega specifications of the kinds of figures that a page has. Each draws the rows of the figure's
// table, whose columns it names; colours and width are the page's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/document.h"

namespace fcsim::report::page {

// Horizontal bars, one for each row, of `parts` laid end to end.
Figure stacked_bars(std::string title, Table table, const std::string& category,
                    const std::vector<std::string>& parts, const std::string& unit);

// Horizontal bars, `sides` next to each other for each row.
Figure paired_bars(std::string title, Table table, const std::string& category,
                   const std::vector<std::string>& sides, const std::string& unit);

// Upright bars, one for each row from left to right, of `parts` laid on top of each other.
Figure columns(std::string title, Table table, const std::string& category,
               const std::vector<std::string>& parts, const std::string& category_title,
               const std::string& unit);

// `curves` over the numbers of column `x`, a point for each row; `knee` is marked. The axis is
// logarithmic where all numbers are above 0 and the largest is 8 times the smallest or more. Where
// `group` is not empty, the rows with one value of it are one curve.
Figure curve(std::string title, Table table, const std::string& x,
             const std::vector<std::string>& curves, const std::string& group,
             std::optional<double> knee);

// A panel of a timeline: columns of the table over its column "seconds".
struct Panel {
  std::string title;
  std::vector<std::string> parts;  // stacked
  std::optional<double> limit;     // a line across
  unsigned height = 70;
};

// Panels below each other over the same time, with a strip at the foot in which a part of the time
// can be chosen. The rows are parts of the time, `part_seconds` long.
Figure timeline(std::string title, Table table, const std::vector<Panel>& panels,
                double part_seconds);

}  // namespace fcsim::report::page
