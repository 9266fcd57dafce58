// How every report writes the times that sync calls take.
#pragma once

#include <string>

#include "sim/engine/latency.h"
#include "sim/report/document.h"
#include "sim/support/json.h"

namespace fcsim::report {

// Nanoseconds as microseconds, with one decimal below 100: "8.2", "462".
std::string microseconds(model::Time time);

// "recorded" and "predicted", as far as the latency has them: how many calls, percentiles, maximum
// and sum, then what the predicted calls waited for. Nothing where it has neither.
void add_latency(Document& document, const engine::Latency& latency);

// The same of two sides, a row for each side and what it has. The recorded times are the same for
// both and stand once.
void add_latencies(Document& document, const std::string& name_a, const engine::Latency& a,
                   const std::string& name_b, const engine::Latency& b);

// {"recorded": {"calls", "p50_us", "p90_us", "p99_us", "max_us", "total_us"} or null,
//  "predicted": the same and "waited_us": {"data", "journal", "others"}, or null}.
support::Json latency_json(const engine::Latency& latency);

// "12.3 % for data, 85.0 % for a commit of their own, 2.7 % for others' commits": of all the time;
// "" where nothing was waited for.
std::string waits_in_words(const engine::Latency& latency);

}  // namespace fcsim::report
