#include "sim/report/explain_format.h"

#include "sim/report/latency_report.h"

#include <algorithm>

namespace fcsim::report {

std::string took_us(model::Time took, const char* unknown) {
  return took == questions::explain::kNotTimed ? unknown : microseconds(took);
}

std::string place(const questions::explain::Explanation& explanation,
                  const questions::explain::Call& call) {
  const std::string& file = explanation.trace_files[call.origin.source];
  return (file == "-" ? "standard input" : file) + ":" + std::to_string(call.origin.line);
}

const std::string& program_of(const questions::explain::Explanation& explanation,
                              const questions::explain::Call& call) {
  return explanation.traced.strings()[call.program];
}

const std::string& path_of(const questions::explain::Explanation& explanation,
                           const questions::explain::Call& call) {
  return explanation.traced.strings()[call.path];
}

const std::string& name_of(const questions::explain::Explanation& explanation,
                           const questions::explain::Call& call) {
  return explanation.traced.strings()[call.name];
}

support::Json call_json(const questions::explain::Explanation& explanation,
                        const questions::explain::Call* call) {
  if (call == nullptr) return nullptr;
  return {{"file", explanation.trace_files[call->origin.source]},
          {"line", call->origin.line},
          {"pid", call->origin.pid},
          {"program", program_of(explanation, *call)},
          {"call", name_of(explanation, *call)},
          {"path", path_of(explanation, *call)}};
}

std::string_view kernel_caller(const model::FullCommitRecord& record) {
  return record.cause == model::Cause::timer ? "timer" : "writeback";
}

std::vector<ExplainedEvent> events_in_order(const questions::explain::Explanation& explanation) {
  std::vector<ExplainedEvent> events;
  events.reserve(explanation.commits.size() + explanation.attempts.size());
  for (const questions::explain::ExplainedAttempt& attempt : explanation.attempts)
    events.emplace_back(&attempt);
  for (const questions::explain::ExplainedCommit& commit : explanation.commits)
    events.emplace_back(&commit);
  std::stable_sort(events.begin(), events.end(),
                   [](const ExplainedEvent& a, const ExplainedEvent& b) {
                     const auto end = [](const auto* event) { return event->record.end; };
                     return std::visit(end, a) < std::visit(end, b);
                   });
  return events;
}

}  // namespace fcsim::report
