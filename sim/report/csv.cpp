#include "sim/report/named_counters.h"
#include "sim/report/report.h"
#include "sim/report/table.h"

namespace fcsim::report {
namespace {

void add_counters(std::string& text, const std::string& prefix,
                  const engine::Prediction& prediction) {
  for (const NamedCounter& counter : named_counters(prediction))
    text += csv_field(prefix + counter.group + "." + counter.name) + "," +
            std::to_string(counter.value) + "\n";
}

}  // namespace

std::string csv_report(const engine::Prediction& prediction) {
  std::string text = "counter,value\n";
  add_counters(text, "", prediction);
  for (std::size_t i = 0; i < prediction.stages.size(); ++i)
    add_counters(text, "stages." + std::to_string(i) + ".", prediction.stages[i].counted);
  for (const auto& [what, count] : prediction.unsupported)
    text += csv_field("unsupported." + what) + "," + std::to_string(count) + "\n";
  return text;
}

}  // namespace fcsim::report
