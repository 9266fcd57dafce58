#include "sim/report/bundles_report.h"

#include <utility>

#include "model/common/counter_table.h"

namespace fcsim::report {
namespace {

std::string quality_remark(const engine::InputQuality& quality) {
  if (quality.lacking.empty()) return "";
  std::string text = "input poor";
  const char* before = ": ";
  for (const std::string& what : quality.lacking) text += std::exchange(before, "; ") + what;
  return text;
}

}  // namespace

Document bundles_document(const std::vector<BundlePrediction>& predictions) {
  std::vector<std::string> header = {"bundle"};
  std::vector<const model::Counter*> counters;
  for (const model::CounterGroup& group : model::counter_groups())
    for (const model::Counter& counter : group.counters)
      if (counter.main) counters.push_back(&counter);
  for (const model::Counter* counter : counters) header.emplace_back(counter->name);
  Table table(header, {true});
  for (const BundlePrediction& one : predictions) {
    std::vector<std::string> cells = {one.bundle};
    if (!one.error.empty()) {
      table.add(std::move(cells), "failed: " + one.error);
      continue;
    }
    for (const model::Counter* counter : counters)
      cells.push_back(std::to_string(counter->value.read(one.prediction)));
    table.add(std::move(cells), quality_remark(one.prediction.quality));
  }
  Document document;
  document.table(std::move(table));
  return document;
}

}  // namespace fcsim::report
