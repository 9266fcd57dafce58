#include "sim/questions/batch/schema.h"

#include "model/common/counter_table.h"

namespace fcsim::questions::batch {

std::string quoted_name(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string results_view_sql(const std::vector<std::string>& counters) {
  std::string sql =
      "DROP VIEW IF EXISTS results;\n"
      "CREATE VIEW results AS SELECT bundle.path AS bundle, setting.setting_id AS setting,"
      " setting.options, result.input_hash, result.configuration_hash, result.fcsim_version,"
      " result.error, result.notes, result.warnings";
  for (const std::string& counter : counters)
    sql += ", result." + quoted_name(counter) + " AS " + quoted_name(counter);
  return sql +
         " FROM result JOIN bundle USING (bundle_id) JOIN setting USING (setting_id)"
         " ORDER BY bundle.path, setting.setting_id;\n";
}

std::string schema_sql() {
  std::string sql = R"sql(
CREATE TABLE bundle (
  bundle_id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE);
CREATE TABLE setting (
  setting_id INTEGER PRIMARY KEY,
  options TEXT NOT NULL UNIQUE,
  common_options TEXT NOT NULL);
CREATE TABLE parameter (
  setting_id INTEGER NOT NULL REFERENCES setting,
  ordinal INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (setting_id, ordinal)) WITHOUT ROWID;
CREATE TABLE reason (
  bundle_id INTEGER NOT NULL REFERENCES bundle,
  setting_id INTEGER NOT NULL REFERENCES setting,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, setting_id, name)) WITHOUT ROWID;
CREATE TABLE unsupported (
  bundle_id INTEGER NOT NULL REFERENCES bundle,
  setting_id INTEGER NOT NULL REFERENCES setting,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, setting_id, name)) WITHOUT ROWID;
CREATE TABLE result (
  bundle_id INTEGER NOT NULL REFERENCES bundle,
  setting_id INTEGER NOT NULL REFERENCES setting,
  input_hash TEXT,
  configuration_hash TEXT NOT NULL,
  fcsim_version TEXT NOT NULL,
  error TEXT,
  notes TEXT NOT NULL,
  warnings TEXT NOT NULL)sql";
  const std::vector<std::string> counters = model::counter_names();
  for (const std::string& counter : counters) sql += ",\n  " + quoted_name(counter) + " INTEGER";
  sql += ",\n  PRIMARY KEY (bundle_id, setting_id)) WITHOUT ROWID;\n";
  sql += results_view_sql(counters);
  sql += "PRAGMA application_id = " + std::to_string(kApplicationId) + ";\n";
  sql += "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";\n";
  return sql;
}

}  // namespace fcsim::questions::batch
