// What a page says about traces: the answer, what to change, how far to trust it, then figures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/questions/overview/overview.h"
#include "sim/report/document.h"

namespace fcsim::report::page {

Document page_document(const std::vector<questions::overview::Overview>& overviews);

// Where more of x brings little more: the point of a falling curve that lies furthest below the
// line between its ends, on a logarithmic axis of x where `logarithm`. Points in order of x;
// nullopt where the curve is straight or rises.
std::optional<std::size_t> knee_of(const std::vector<std::pair<double, double>>& curve,
                                   bool logarithm);

}  // namespace fcsim::report::page
