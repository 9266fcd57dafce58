#include "sim/report/named_counters.h"
#include "sim/report/report.h"

namespace fcsim::sim {
namespace {

// RFC 4180: quotes where a comma, a quote or a line end would be taken for the format's own.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_report(const Prediction& prediction) {
  std::string text = "counter,value\n";
  for (const NamedCounter& counter : named_counters(prediction))
    text += field(counter.group + "." + counter.name) + "," + std::to_string(counter.value) + "\n";
  for (const auto& [what, count] : prediction.unsupported)
    text += field("unsupported." + what) + "," + std::to_string(count) + "\n";
  return text;
}

}  // namespace fcsim::sim
