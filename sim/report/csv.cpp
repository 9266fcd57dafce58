#include "sim/report/document.h"
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

void add_counters(Table& table, const std::string& prefix, const engine::Prediction& prediction) {
  for (const model::NamedCounter& counter : named_counters(prediction))
    table.add({prefix + counter.full_name(), std::to_string(counter.value)});
}

}  // namespace

std::string csv_report(const engine::Prediction& prediction) {
  Table table({"counter", "value"});
  add_counters(table, "", prediction);
  for (std::size_t i = 0; i < prediction.stages.size(); ++i)
    add_counters(table, "stages." + std::to_string(i) + ".", prediction.stages[i].counted);
  return csv_of(table);
}

}  // namespace fcsim::report
