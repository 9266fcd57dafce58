#include "sim/report/compare_report.h"

#include "sim/report/json_parts.h"
#include "sim/report/latency_report.h"
#include "sim/report/report.h"
#include "sim/support/text.h"

namespace fcsim::report {
namespace {

std::string number(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string difference(std::uint64_t a, std::uint64_t b) {
  if (a == b) return "0";
  return b > a ? "+" + std::to_string(b - a) : "-" + std::to_string(a - b);
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
  return support::decimal(static_cast<double>(b) / static_cast<double>(a), 3);
}

// Seconds with microseconds, as the trace has them.
std::string seconds(model::Time time) {
  std::string fraction = std::to_string(time % 1'000'000'000 / 1000);
  fraction.insert(0, 6 - fraction.size(), '0');
  return std::to_string(time / 1'000'000'000) + "." + fraction;
}

std::string place(const questions::compare::CompareResult& result,
                  const questions::compare::SyncCall& call) {
  const std::string& file = result.trace_files[call.source];
  return (file == "-" ? "standard input" : file) + ":" + std::to_string(call.line);
}

// Longer values would push the columns of a table apart.
constexpr std::size_t kInTable = 40;

void add_settings(Document& document, const questions::compare::CompareResult& result) {
  if (result.settings.empty()) {
    document.line("A and B are configured alike.");
    return;
  }
  const auto shown = [](const std::string& value) { return value.empty() ? "-" : value; };
  const auto is_long = [](const questions::compare::SettingPair& pair) {
    return std::max(pair.a.size(), pair.b.size()) > kInTable;
  };
  Table table({"setting", "A", "B"}, {true, true, true});
  for (const questions::compare::SettingPair& pair : result.settings)
    if (!is_long(pair)) table.add({pair.key, shown(pair.a), shown(pair.b)});
  if (!table.rows.empty()) document.table(std::move(table));
  for (const questions::compare::SettingPair& pair : result.settings) {
    if (!is_long(pair)) continue;
    document.line(pair.key, 0);
    document.line("A: " + shown(pair.a), 1);
    document.line("B: " + shown(pair.b), 1);
  }
}

Table counters_table(const questions::compare::CompareResult& result) {
  Table table({"counter", "A", "B", "B - A", "B / A"}, {true});
  for (const questions::compare::CounterPair& pair : result.counters) {
    if (pair.a.value_or(0) == 0 && pair.b.value_or(0) == 0) continue;
    std::vector<std::string> cells = {pair.name, number(pair.a), number(pair.b)};
    if (pair.a && pair.b) {
      cells.push_back(difference(*pair.a, *pair.b));
      cells.push_back(*pair.a == 0 ? "-" : ratio(*pair.a, *pair.b));
    }
    table.add(std::move(cells));
  }
  return table;
}

void add_causes(Document& document, const questions::compare::CompareResult& result) {
  if (result.a.causes == result.b.causes) return;
  document.heading("Full commits by cause that moved from A to B");
  for (std::size_t cause = 0; cause < model::kCauses; ++cause) {
    const std::uint64_t a = result.a.causes[cause];
    const std::uint64_t b = result.b.causes[cause];
    if (a == b) continue;
    document.line(difference(a, b) + " " + std::string(model::kCauseNames[cause]) + " (" +
                      std::string(model::explanation(static_cast<model::Cause>(cause))) + ")",
                  1);
  }
}

void add_changes(Document& document, const questions::compare::CompareResult& result) {
  std::string text = std::to_string(result.changed) + " of " + std::to_string(result.sync_calls) +
                     " sync calls took another path";
  if (!result.changes.empty())
    text += result.changes.size() < result.changed
                ? "; the first " + std::to_string(result.changes.size()) + ":"
                : ":";
  document.gap();
  document.line(text);
  for (const questions::compare::PathChange& change : result.changes) {
    const questions::compare::SyncCall& call = change.call;
    document.line(place(result, call) + ": " + seconds(call.start) + " pid " +
                      std::to_string(call.pid) + " " + std::string(call_name(call.kind)) +
                      (change.path.empty() ? "" : " of " + change.path),
                  1);
    document.line("A: " + describe(change.a), 2);
    document.line("B: " + describe(change.b), 2);
  }
}

using support::Json;

Json json_number(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::int64_t signed_difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(b - a);
}

Json counter_json(const questions::compare::CounterPair& pair) {
  Json object = {{"counter", pair.name},
                 {"a", json_number(pair.a)},
                 {"b", json_number(pair.b)},
                 {"difference", nullptr},
                 {"ratio", nullptr}};
  if (!pair.a || !pair.b) return object;
  object["difference"] = signed_difference(*pair.a, *pair.b);
  if (*pair.a != 0)
    object["ratio"] =
        support::json_decimal(static_cast<double>(*pair.b) / static_cast<double>(*pair.a), 3);
  return object;
}

Json moved_json(const questions::compare::CompareResult& result) {
  Json object = Json::object();
  for (std::size_t cause = 0; cause < model::kCauses; ++cause)
    if (result.a.causes[cause] != result.b.causes[cause])
      object[std::string(model::kCauseNames[cause])] =
          signed_difference(result.a.causes[cause], result.b.causes[cause]);
  return object;
}

Json change_json(const questions::compare::CompareResult& result,
                 const questions::compare::PathChange& change) {
  const questions::compare::SyncCall& call = change.call;
  // A number with microseconds is exact as a double.
  return {{"trace", result.trace_files[call.source]},
          {"line", call.line},
          {"time", Json::parse(seconds(call.start))},
          {"pid", call.pid},
          {"call", std::string(call_name(call.kind))},
          {"path", change.path},
          {"a", describe(change.a)},
          {"b", describe(change.b)}};
}

}  // namespace

std::string_view call_name(model::OperationKind kind) {
  using enum model::OperationKind;
  switch (kind) {
    case fsync:
      return "fsync";
    case fdatasync:
      return "fdatasync";
    case msync:
      return "msync";
    case syncfs:
      return "syncfs";
    case sync:
      return "sync";
    case write:
      return "write";
    case truncate:
      return "truncate";
    case fallocate:
      return "fallocate";
    default:
      return "call";
  }
}

Document compare_document(const questions::compare::CompareResult& result) {
  Document document;
  add_settings(document, result);
  document.gap();
  document.table(counters_table(result));
  add_latencies(document, "A", result.a.latency, "B", result.b.latency);
  add_causes(document, result);
  add_changes(document, result);
  return document;
}

std::string compare_json(const questions::compare::CompareResult& result) {
  Json root = {{"a", prediction_json(result.configuration_a, result.a)},
               {"b", prediction_json(result.configuration_b, result.b)},
               {"settings", Json::object()},
               {"counters", Json::array()},
               {"causes_moved", moved_json(result)},
               {"sync_calls", result.sync_calls},
               {"changed", result.changed},
               {"changes", Json::array()}};
  for (const questions::compare::SettingPair& pair : result.settings)
    root["settings"][pair.key] = {{"a", pair.a}, {"b", pair.b}};
  for (const questions::compare::CounterPair& pair : result.counters)
    root["counters"].push_back(counter_json(pair));
  for (const questions::compare::PathChange& change : result.changes)
    root["changes"].push_back(change_json(result, change));
  return support::json_text(root);
}

}  // namespace fcsim::report
