#include "sim/report/compare_report.h"

#include "sim/report/report.h"
#include "sim/report/table.h"

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
  return decimal(static_cast<double>(b) / static_cast<double>(a), 3);
}

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

// Long lists would push the columns apart; the JSON form has them whole.
std::string shortened(const std::string& value) {
  constexpr std::size_t kShown = 48;
  if (value.empty()) return "-";
  return value.size() <= kShown ? value : value.substr(0, kShown - 3) + "...";
}

std::string settings_text(const questions::compare::CompareResult& result) {
  if (result.settings.empty()) return "A and B are configured alike.\n";
  TextTable table({"setting", "A", "B"}, {true, true, true});
  for (const questions::compare::SettingPair& pair : result.settings)
    table.add({pair.key, shortened(pair.a), shortened(pair.b)});
  return table.text();
}

std::string counters_text(const questions::compare::CompareResult& result) {
  TextTable table({"counter", "A", "B", "B - A", "B / A"}, {true});
  for (const questions::compare::CounterPair& pair : result.counters) {
    if (pair.a.value_or(0) == 0 && pair.b.value_or(0) == 0) continue;
    std::vector<std::string> cells = {pair.name, number(pair.a), number(pair.b)};
    if (pair.a && pair.b) {
      cells.push_back(difference(*pair.a, *pair.b));
      cells.push_back(*pair.a == 0 ? "-" : ratio(*pair.a, *pair.b));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string causes_text(const questions::compare::CompareResult& result) {
  std::string text;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause) {
    const std::uint64_t a = result.a.causes[cause];
    const std::uint64_t b = result.b.causes[cause];
    if (a == b) continue;
    text += "  " + difference(a, b) + " " + std::string(model::kCauseNames[cause]) + " (" +
            std::string(explanation(static_cast<model::Cause>(cause))) + ")\n";
  }
  return text.empty() ? "" : "\nFull commits by cause that moved from A to B\n" + text;
}

std::string changes_text(const questions::compare::CompareResult& result) {
  std::string text = "\n" + std::to_string(result.changed) + " of " +
                     std::to_string(result.sync_calls) + " sync calls took another path";
  if (result.changes.empty()) return text + "\n";
  text += result.changes.size() < result.changed
              ? "; the first " + std::to_string(result.changes.size()) + ":\n"
              : ":\n";
  for (const questions::compare::PathChange& change : result.changes) {
    const questions::compare::SyncCall& call = change.call;
    text += "  " + place(result, call) + ": " + seconds(call.start) + " pid " +
            std::to_string(call.pid) + " " + std::string(call_name(call.kind)) +
            (change.path.empty() ? "" : " of " + change.path) + "\n";
    text += "    A: " + describe(change.a) + "\n    B: " + describe(change.b) + "\n";
  }
  return text;
}

std::string without_line_feed(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string json_number(const std::optional<std::uint64_t>& value) {
  return value ? std::to_string(*value) : "null";
}

std::string counters_json(const questions::compare::CompareResult& result) {
  std::string text;
  for (const questions::compare::CounterPair& pair : result.counters) {
    const bool both = pair.a && pair.b;
    std::string moved = both ? difference(*pair.a, *pair.b) : "null";
    if (moved.starts_with('+')) moved.erase(0, 1);
    text += (text.empty() ? "\n  " : ",\n  ") + std::string("{\"counter\": ") +
            json_string(pair.name) + ", \"a\": " + json_number(pair.a) +
            ", \"b\": " + json_number(pair.b) + ", \"difference\": " + moved +
            ", \"ratio\": " + (both && *pair.a != 0 ? ratio(*pair.a, *pair.b) : "null") + "}";
  }
  return "[" + text + "]";
}

std::string causes_json(const questions::compare::CompareResult& result) {
  std::string text;
  for (std::size_t cause = 0; cause < model::kCauses; ++cause) {
    const std::uint64_t a = result.a.causes[cause];
    const std::uint64_t b = result.b.causes[cause];
    if (a == b) continue;
    text += (text.empty() ? "" : ", ") + json_string(model::kCauseNames[cause]) + ": " +
            (b > a ? std::to_string(b - a) : "-" + std::to_string(a - b));
  }
  return "{" + text + "}";
}

std::string settings_json(const questions::compare::CompareResult& result) {
  std::string text;
  for (const questions::compare::SettingPair& pair : result.settings)
    text += (text.empty() ? "" : ", ") + json_string(pair.key) +
            ": {\"a\": " + json_string(pair.a) + ", \"b\": " + json_string(pair.b) + "}";
  return "{" + text + "}";
}

std::string changes_json(const questions::compare::CompareResult& result) {
  std::string text;
  for (const questions::compare::PathChange& change : result.changes) {
    const questions::compare::SyncCall& call = change.call;
    text +=
        (text.empty() ? "\n  " : ",\n  ") + std::string("{\"trace\": ") +
        json_string(result.trace_files[call.source]) + ", \"line\": " + std::to_string(call.line) +
        ", \"time\": " + seconds(call.start) + ", \"pid\": " + std::to_string(call.pid) +
        ", \"call\": " + json_string(call_name(call.kind)) +
        ", \"path\": " + json_string(change.path) + ", \"a\": " + json_string(describe(change.a)) +
        ", \"b\": " + json_string(describe(change.b)) + "}";
  }
  return "[" + text + "]";
}

}  // namespace

std::string compare_text(const questions::compare::CompareResult& result) {
  return settings_text(result) + "\n" + counters_text(result) + causes_text(result) +
         changes_text(result);
}

std::string compare_json(const questions::compare::CompareResult& result) {
  return "{\n\"a\": " + without_line_feed(json_report(result.configuration_a, result.a)) +
         ",\n\"b\": " + without_line_feed(json_report(result.configuration_b, result.b)) +
         ",\n\"settings\": " + settings_json(result) + ",\n\"counters\": " + counters_json(result) +
         ",\n\"causes_moved\": " + causes_json(result) +
         ",\n\"sync_calls\": " + std::to_string(result.sync_calls) +
         ",\n\"changed\": " + std::to_string(result.changed) +
         ",\n\"changes\": " + changes_json(result) + "\n}\n";
}

}  // namespace fcsim::report
