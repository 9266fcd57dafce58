#include "sim/questions/batch/export.h"

#include <algorithm>

#include "sim/questions/batch/parameter_keys.h"
#include "sim/support/json.h"
#include "sim/support/text.h"

namespace fcsim::questions::batch {
namespace {

// The count under the name, 0 where there is none.
std::uint64_t count_of(const NamedCounts& counts, const std::string& name) {
  const auto found = std::lower_bound(
      counts.begin(), counts.end(), name,
      [](const auto& count, const std::string& wanted) { return count.first < wanted; });
  return found != counts.end() && found->first == name ? found->second : 0;
}

class CsvLines {
 public:
  explicit CsvLines(ResultDatabase& database)
      : settings_(database.settings()),
        keys_(parameter_keys(settings_)),
        counters_(database.counters()),
        reasons_(database.reasons()),
        unsupported_(database.unsupported()) {}

  [[nodiscard]] std::string header() const {
    std::string line = "bundle,setting,options";
    for (const std::string& key : keys_) line += "," + support::csv_field(key);
    line += ",input_hash,configuration_hash,fcsim_version,error,notes,warnings";
    for (const std::string& counter : counters_) line += "," + support::csv_field(counter);
    for (const std::string& reason : reasons_)
      line += "," + support::csv_field("fc_info.reasons." + reason);
    for (const std::string& what : unsupported_)
      line += "," + support::csv_field("unsupported." + what);
    return line + "\n";
  }

  [[nodiscard]] std::string row(const ResultRow& row) const {
    const SettingDescription& setting = settings_.at(static_cast<std::size_t>(row.setting - 1));
    std::string line = support::csv_field(row.bundle) + "," + std::to_string(row.setting) + "," +
                       support::csv_field(setting.options);
    for (const std::string& key : keys_)
      line += "," + support::csv_field(parameter_value(setting, key).value_or(""));
    for (const std::string& text :
         {row.input_hash.value_or(""), row.configuration_hash, row.fcsim_version,
          row.error.value_or(""), row.notes, row.warnings})
      line += "," + support::csv_field(text);
    for (const std::string& counter : counters_) {
      const auto value = row.counters.find(counter);
      line += value == row.counters.end() ? "," : "," + std::to_string(value->second);
    }
    add_counts(line, row, reasons_, row.reasons);
    add_counts(line, row, unsupported_, row.unsupported);
    return line + "\n";
  }

 private:
  static void add_counts(std::string& line, const ResultRow& row,
                         const std::vector<std::string>& names, const NamedCounts& counts) {
    for (const std::string& name : names)
      line += row.error ? "," : "," + std::to_string(count_of(counts, name));
  }

  std::vector<SettingDescription> settings_;
  std::vector<std::string> keys_, counters_, reasons_, unsupported_;
};

// Appends "NAME": to an object.
void add_name(std::string& object, const std::string& name) {
  if (object.back() != '{') object += ", ";
  object += support::json_string(name) + ": ";
}

void add_text(std::string& object, const std::string& name,
              const std::optional<std::string>& text) {
  add_name(object, name);
  object += text ? support::json_string(*text) : "null";
}

void add_count(std::string& object, const std::string& name, std::uint64_t count) {
  add_name(object, name);
  object += std::to_string(count);
}

std::string counters_object(const ResultRow& row, const std::vector<std::string>& counters) {
  std::string object = "{";
  for (const std::string& counter : counters) {
    const auto value = row.counters.find(counter);
    if (value != row.counters.end()) add_count(object, counter, value->second);
  }
  for (const auto& [name, count] : row.reasons) add_count(object, "fc_info.reasons." + name, count);
  for (const auto& [name, count] : row.unsupported) add_count(object, "unsupported." + name, count);
  return object + "}";
}

std::string json_line(const ResultRow& row, const SettingDescription& setting,
                      const std::vector<std::string>& counters) {
  std::string line = "{";
  add_text(line, "bundle", row.bundle);
  add_count(line, "setting", static_cast<std::uint64_t>(row.setting));
  add_text(line, "options", setting.options);
  std::string parameters = "{";
  for (const auto& [key, value] : setting.parameters) add_text(parameters, key, value);
  add_name(line, "parameters");
  line += parameters + "}";
  add_text(line, "input_hash", row.input_hash);
  add_text(line, "configuration_hash", row.configuration_hash);
  add_text(line, "fcsim_version", row.fcsim_version);
  add_text(line, "error", row.error);
  add_name(line, "notes");
  line += row.notes;
  add_name(line, "warnings");
  line += row.warnings;
  add_name(line, "counters");
  return line + counters_object(row, counters) + "}\n";
}

}  // namespace

void export_csv(ResultDatabase& database, const TextSink& sink) {
  const CsvLines lines(database);
  sink(lines.header());
  database.for_each([&](const ResultRow& row) { sink(lines.row(row)); });
}

void export_json_lines(ResultDatabase& database, const TextSink& sink) {
  const std::vector<SettingDescription> settings = database.settings();
  database.for_each([&](const ResultRow& row) {
    sink(json_line(row, settings.at(static_cast<std::size_t>(row.setting - 1)),
                   database.counters()));
  });
}

}  // namespace fcsim::questions::batch
