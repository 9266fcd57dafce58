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

support::Json counters_json(const ResultRow& row, const std::vector<std::string>& counters) {
  support::Json object = support::Json::object();
  for (const std::string& counter : counters) {
    const auto value = row.counters.find(counter);
    if (value != row.counters.end()) object[counter] = value->second;
  }
  for (const auto& [name, count] : row.reasons) object["fc_info.reasons." + name] = count;
  for (const auto& [name, count] : row.unsupported) object["unsupported." + name] = count;
  return object;
}

// A stored array of strings, whose bytes are in JSON's form already.
support::Json stored_texts(const std::string& array) {
  support::Json texts = support::Json::array();
  for (const support::Json& text : support::Json::parse(array))
    texts.push_back(support::name_from_json(text.get_ref<const std::string&>()));
  return texts;
}

support::Json text_or_null(const std::optional<std::string>& text) {
  return text ? support::Json(*text) : support::Json(nullptr);
}

std::string json_line_of(const ResultRow& row, const SettingDescription& setting,
                         const std::vector<std::string>& counters) {
  support::Json parameters = support::Json::object();
  for (const auto& [key, value] : setting.parameters) parameters[key] = value;
  const support::Json object = {{"bundle", row.bundle},
                                {"setting", row.setting},
                                {"options", setting.options},
                                {"parameters", parameters},
                                {"input_hash", text_or_null(row.input_hash)},
                                {"configuration_hash", row.configuration_hash},
                                {"fcsim_version", row.fcsim_version},
                                {"error", text_or_null(row.error)},
                                {"notes", stored_texts(row.notes)},
                                {"warnings", stored_texts(row.warnings)},
                                {"counters", counters_json(row, counters)}};
  return support::json_line(object) + "\n";
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
    sink(json_line_of(row, settings.at(static_cast<std::size_t>(row.setting - 1)),
                      database.counters()));
  });
}

}  // namespace fcsim::questions::batch
