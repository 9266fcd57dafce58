#include "sim/report/latency_report.h"

#include <algorithm>
#include <cmath>

#include "sim/support/text.h"

namespace fcsim::report {
namespace {

using engine::WaitedFor;
using support::Json;

constexpr double kPercentiles[] = {0.5, 0.9, 0.99};

Table latency_table() {
  return Table({"", "calls", "p50 us", "p90 us", "p99 us", "max us", "total ms"}, {true});
}

void add_latency_row(Table& table, const std::string& name, const engine::Distribution& times) {
  std::vector<std::string> cells = {name, std::to_string(times.count())};
  for (const double share : kPercentiles) cells.push_back(microseconds(times.percentile(share)));
  cells.push_back(microseconds(times.maximum()));
  cells.push_back(support::decimal(static_cast<double>(times.total()) / 1e6, 1));
  table.add(std::move(cells));
}

Json distribution_json(const engine::Distribution& times) {
  const auto us = [](model::Time time) {
    return support::json_decimal(static_cast<double>(time) / 1e3, 1);
  };
  return {{"calls", times.count()},
          {"p50_us", us(times.percentile(0.5))},
          {"p90_us", us(times.percentile(0.9))},
          {"p99_us", us(times.percentile(0.99))},
          {"max_us", us(times.maximum())},
          {"total_us", us(times.total())}};
}

const char* const kLatencyHeading = "How long sync calls take";

}  // namespace

std::string microseconds(model::Time time) {
  const double us = static_cast<double>(time) / 1e3;
  return support::decimal(us, us < 99.95 ? 1 : 0);
}

std::string waits_in_words(const engine::Latency& latency) {
  if (latency.times.total() == 0) return "";
  const auto part = [&](WaitedFor what) {
    const double share = static_cast<double>(latency.waited[static_cast<std::size_t>(what)]) /
                         static_cast<double>(latency.times.total());
    return support::decimal(100 * share, 1) + " %";
  };
  return part(WaitedFor::data) + " for data, " + part(WaitedFor::journal) +
         " for a commit of their own, " + part(WaitedFor::others) + " for others' commits";
}

void add_latency(Document& document, const engine::Latency& latency) {
  if (latency.recorded.count() == 0 && latency.times.count() == 0) return;
  document.heading(kLatencyHeading);
  Table table = latency_table();
  if (latency.recorded.count() != 0) add_latency_row(table, "recorded", latency.recorded);
  if (latency.times.count() != 0) add_latency_row(table, "predicted", latency.times);
  document.table(std::move(table));
  if (const std::string waits = waits_in_words(latency); !waits.empty())
    document.line("of the predicted time: " + waits, 1);
}

void add_latencies(Document& document, const std::string& name_a, const engine::Latency& a,
                   const std::string& name_b, const engine::Latency& b) {
  if (a.times.count() == 0 && b.times.count() == 0 && a.recorded.count() == 0) return;
  document.heading(kLatencyHeading);
  Table table = latency_table();
  if (a.recorded.count() != 0) add_latency_row(table, "recorded", a.recorded);
  if (a.times.count() != 0) add_latency_row(table, "predicted, " + name_a, a.times);
  if (b.times.count() != 0) add_latency_row(table, "predicted, " + name_b, b.times);
  document.table(std::move(table));
  for (const auto& [name, side] : {std::pair(&name_a, &a), std::pair(&name_b, &b)})
    if (const std::string waits = waits_in_words(*side); !waits.empty())
      document.line(*name + ": " + waits, 1);
}

Json latency_json(const engine::Latency& latency) {
  Json root = {{"recorded", nullptr}, {"predicted", nullptr}};
  if (latency.recorded.count() != 0) root["recorded"] = distribution_json(latency.recorded);
  if (!latency.predicted) return root;
  Json& predicted = root["predicted"] = distribution_json(latency.times);
  const auto waited = [&](WaitedFor what) {
    const model::Time time = latency.waited[static_cast<std::size_t>(what)];
    return support::json_decimal(static_cast<double>(time) / 1e3, 1);
  };
  predicted["waited_us"] = {{"data", waited(WaitedFor::data)},
                            {"journal", waited(WaitedFor::journal)},
                            {"others", waited(WaitedFor::others)}};
  return root;
}

}  // namespace fcsim::report
