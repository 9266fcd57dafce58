#include <sstream>

#include "sim/report/json_tables.h"
#include "sim/report/named_counters.h"
#include "sim/report/report.h"

namespace fcsim::report {
namespace {

std::int64_t integer(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

void insert_value(toml::table& table, std::string_view name, const configuration::Value& value) {
  struct Visitor {
    toml::table& table;
    std::string_view name;
    void operator()(bool v) const { table.insert_or_assign(name, v); }
    void operator()(std::int64_t v) const { table.insert_or_assign(name, v); }
    void operator()(double v) const { table.insert_or_assign(name, v); }
    void operator()(const std::string& v) const { table.insert_or_assign(name, v); }
    void operator()(const std::vector<std::string>& v) const {
      table.insert_or_assign(name, array_of(v));
    }
    void operator()(const std::vector<std::int64_t>&) const {}
    void operator()(const configuration::UnusableValue&) const {}
  };
  std::visit(Visitor{table, name}, value);
}

}  // namespace

toml::table& table_at(toml::table& root, std::string_view path) {
  toml::table* table = &root;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view name = path.substr(0, dot);
    table->insert(name, toml::table{});
    table = table->get_as<toml::table>(name);
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *table;
}

toml::array array_of(const std::vector<std::string>& texts) {
  toml::array array;
  for (const std::string& text : texts) array.push_back(text);
  return array;
}

toml::table configuration_table(const configuration::LoadedConfiguration& configuration) {
  toml::table root;
  for (const configuration::Key& key : configuration::configuration_keys())
    if (const auto value = key.get(configuration))
      insert_value(table_at(root, key.table), key.name, *value);
  return root;
}

void insert_counters(toml::table& root, const engine::Prediction& prediction) {
  for (const char* group : {"fc_info.reasons", "causes", "sync_calls"}) table_at(root, group);
  for (const NamedCounter& counter : named_counters(prediction))
    table_at(root, counter.group).insert_or_assign(counter.name, integer(counter.value));
  table_at(root, "fast_commit").insert_or_assign("active", prediction.fast_commit_active);
  toml::table& ranges = table_at(root, "range_tracking");
  ranges.insert_or_assign("inodes_read", integer(prediction.tracker_memory.inodes));
  ranges.insert_or_assign("bytes", integer(prediction.tracker_memory.bytes));
  ranges.insert_or_assign("bytes_of_one_inode_at_most", integer(prediction.tracker_memory.most));
}

void insert_reservations(toml::table& root, const configuration::LoadedConfiguration& configuration,
                         const engine::Prediction& prediction) {
  table_at(root, "unsupported");
  for (const auto& [what, count] : prediction.unsupported)
    table_at(root, "unsupported").insert_or_assign(what, integer(count));
  root.insert_or_assign("config", configuration_table(configuration));
  std::vector<std::string> assumed = configuration.assumed;
  assumed.insert(assumed.end(), prediction.assumed.begin(), prediction.assumed.end());
  root.insert_or_assign("assumed", array_of(assumed));
  root.insert_or_assign("notes", array_of(configuration.notes));
  toml::table& quality = table_at(root, "input");
  quality.insert_or_assign("quality", prediction.quality.grade());
  quality.insert_or_assign("lacking", array_of(prediction.quality.lacking));
  quality.insert_or_assign("unknown", array_of(prediction.quality.unknown));
}

std::string json_text(const toml::table& root) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << toml::json_formatter(root) << '\n';
  return stream.str();
}

std::string json_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction) {
  toml::table root;
  insert_counters(root, prediction);
  insert_reservations(root, configuration, prediction);
  toml::array stages;
  for (const engine::Stage& stage : prediction.stages) {
    toml::table table;
    table.insert_or_assign("admin", stage.admin);
    insert_counters(table, stage.counted);
    stages.push_back(std::move(table));
  }
  if (!stages.empty()) root.insert_or_assign("stages", std::move(stages));
  return json_text(root);
}

}  // namespace fcsim::report
