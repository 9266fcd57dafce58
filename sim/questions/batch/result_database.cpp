#include "sim/questions/batch/result_database.h"

#include <algorithm>

#include "model/common/error.h"
#include "sim/questions/batch/schema.h"

namespace fcsim::questions::batch {

namespace {

constexpr const char* kReasonsGroup = "fc_info.reasons";

// SQLite's integers are signed; the same bits come back.
std::int64_t stored(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::uint64_t read(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

void bind_optional(Statement& statement, int parameter, const std::optional<std::string>& text) {
  if (text)
    statement.bind(parameter, std::string_view(*text));
  else
    statement.bind_null(parameter);
}

std::string result_columns(const std::vector<std::string>& counters) {
  std::string columns =
      "bundle_id, setting_id, input_hash, configuration_hash, fcsim_version, error, notes, "
      "warnings";
  for (const std::string& counter : counters) columns += ", " + quoted_name(counter);
  return columns;
}

}  // namespace

void set_counters(ResultRow& row, const engine::Prediction& prediction) {
  for (const model::NamedCounter& counter : model::named_counters(prediction)) {
    const bool has_column = model::counter_group(counter.group).named == nullptr;
    if (has_column)
      row.counters[counter.full_name()] = counter.value;
    else if (counter.group == kReasonsGroup && counter.value != 0)
      row.reasons.emplace_back(counter.name, counter.value);
  }
  std::sort(row.reasons.begin(), row.reasons.end());
  for (const auto& [what, count] : prediction.unsupported)
    if (count != 0) row.unsupported.emplace_back(what, count);
}

// ---- opening ---------------------------------------------------------------------------------

ResultDatabase ResultDatabase::create(const std::string& path) {
  ResultDatabase database;
  database.lock_ = std::make_unique<WriterLock>(path);
  database.connection_ = std::make_unique<Connection>(path, Access::write);
  database.check_kind(true);
  // A commit is on the disk before the next one begins; there are few of them.
  database.connection_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.make_schema();
  database.prepare_writing();
  return database;
}

ResultDatabase ResultDatabase::open(const std::string& path) {
  ResultDatabase database;
  database.connection_ = std::make_unique<Connection>(path, Access::read);
  database.reading_ = std::make_unique<Transaction>(*database.connection_, Access::read);
  database.check_kind(false);
  database.read_columns();
  return database;
}

void ResultDatabase::check_kind(bool may_be_new) {
  const std::int64_t application = connection_->query_integer("PRAGMA application_id");
  const std::int64_t schema = connection_->query_integer("PRAGMA user_version");
  const bool empty = connection_->query_integer("SELECT count(*) FROM sqlite_master") == 0;
  if (application == 0 && schema == 0 && empty && may_be_new) return;
  if (application != kApplicationId)
    throw model::InputError(
        {path(), 0, 0}, "is an SQLite database, but not one of fcsim batch; it was left as it is");
  if (schema > kSchemaVersion)
    throw model::InputError({path(), 0, 0}, "was written by a newer fcsim: its schema is version " +
                                                std::to_string(schema) +
                                                ", this fcsim knows version " +
                                                std::to_string(kSchemaVersion));
}

// Makes the tables, or the columns that this version has and the database does not.
void ResultDatabase::make_schema() {
  Transaction transaction = begin();
  if (connection_->query_integer("PRAGMA application_id") == 0) {
    connection_->execute(schema_sql());
    read_columns();
  } else {
    read_columns();
    const std::size_t before = counters_.size();
    for (const std::string& counter : model::counter_names())
      if (std::find(counters_.begin(), counters_.end(), counter) == counters_.end()) {
        connection_->execute("ALTER TABLE result ADD COLUMN " + quoted_name(counter) + " INTEGER");
        counters_.push_back(counter);
      }
    if (counters_.size() != before) connection_->execute(results_view_sql(counters_));
  }
  transaction.commit();
}

void ResultDatabase::read_columns() {
  counters_.clear();
  Statement columns = connection_->prepare("SELECT cid, name FROM pragma_table_info('result')");
  while (columns.step())
    if (columns.integer(0) >= kFixedColumns) counters_.push_back(columns.text(1));
}

void ResultDatabase::prepare_writing() {
  const auto prepare = [&](const std::string& sql) { return connection_->prepare(sql); };
  std::string put = "REPLACE INTO result (" + result_columns(counters_) + ") VALUES (?";
  for (std::size_t i = 1; i < kFixedColumns + counters_.size(); ++i) put += ",?";
  writing_ = std::make_unique<Statements>(
      Statements{prepare("SELECT bundle_id FROM bundle WHERE path = ?"),
                 prepare("INSERT INTO bundle (path) VALUES (?)"),
                 prepare("SELECT setting_id FROM setting WHERE options = ?"),
                 prepare("INSERT INTO setting (options, common_options) VALUES (?, ?)"),
                 prepare("INSERT INTO parameter VALUES (?, ?, ?, ?)"), prepare(put + ")"),
                 prepare("DELETE FROM reason WHERE bundle_id = ? AND setting_id = ?"),
                 prepare("INSERT INTO reason VALUES (?, ?, ?, ?)"),
                 prepare("DELETE FROM unsupported WHERE bundle_id = ? AND setting_id = ?"),
                 prepare("INSERT INTO unsupported VALUES (?, ?, ?, ?)")});
}

// ---- reading ---------------------------------------------------------------------------------

std::vector<SettingDescription> ResultDatabase::settings() {
  std::vector<SettingDescription> settings;
  Statement select =
      connection_->prepare("SELECT options, common_options FROM setting ORDER BY setting_id");
  while (select.step()) settings.push_back({select.text(0), select.text(1), {}});
  Statement parameters = connection_->prepare(
      "SELECT setting_id, key, value FROM parameter ORDER BY setting_id, ordinal");
  while (parameters.step()) {
    const auto number = static_cast<std::size_t>(parameters.integer(0));
    if (number < 1 || number > settings.size())
      throw model::InputError({path(), 0, 0}, "is damaged: parameters of setting " +
                                                  std::to_string(number) + ", which is not there");
    settings[number - 1].parameters.emplace_back(parameters.text(1), parameters.text(2));
  }
  return settings;
}

std::vector<std::string> ResultDatabase::names_in(const std::string& table) {
  std::vector<std::string> names;
  Statement select = connection_->prepare("SELECT DISTINCT name FROM " + table + " ORDER BY name");
  while (select.step()) names.push_back(select.text(0));
  return names;
}

std::vector<std::string> ResultDatabase::reasons() {
  return names_in("reason");
}

std::vector<std::string> ResultDatabase::unsupported() {
  return names_in("unsupported");
}

std::vector<RowState> ResultDatabase::states(const std::string& version) {
  std::vector<RowState> states;
  Statement select = connection_->prepare(
      "SELECT path, setting_id, input_hash, configuration_hash, fcsim_version, error IS NOT NULL"
      " FROM result JOIN bundle USING (bundle_id) ORDER BY path, setting_id");
  while (select.step())
    states.push_back({select.text(0), select.integer(1), hash_from_hex(select.text(2)),
                      hash_from_hex(select.text(3)), select.text(4) == version,
                      select.integer(5) != 0});
  return states;
}

// The row without its reasons; the bundle's path follows the counters.
ResultRow ResultDatabase::row_at(const Statement& statement) {
  ResultRow row;
  row.setting = statement.integer(1);
  row.input_hash = statement.optional_text(2);
  row.configuration_hash = statement.text(3);
  row.fcsim_version = statement.text(4);
  row.error = statement.optional_text(5);
  row.notes = statement.text(6);
  row.warnings = statement.text(7);
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const int column = kFixedColumns + static_cast<int>(i);
    if (!statement.is_null(column)) row.counters[counters_[i]] = read(statement.integer(column));
  }
  row.bundle = statement.text(kFixedColumns + static_cast<int>(counters_.size()));
  return row;
}

NamedCounts ResultDatabase::counts_in(Statement& select, std::int64_t bundle,
                                      std::int64_t setting) {
  NamedCounts counts;
  select.bind(0, bundle).bind(1, setting);
  while (select.step()) counts.emplace_back(select.text(0), read(select.integer(1)));
  return counts;
}

namespace {

std::string counts_sql(const std::string& table) {
  return "SELECT name, count FROM " + table +
         " WHERE bundle_id = ? AND setting_id = ? ORDER BY name";
}

}  // namespace

void ResultDatabase::for_each(const std::function<void(const ResultRow&)>& take) {
  Statement rows = connection_->prepare(
      "SELECT " + result_columns(counters_) +
      ", path FROM result JOIN bundle USING (bundle_id) ORDER BY path, setting_id");
  Statement reasons = connection_->prepare(counts_sql("reason"));
  Statement unsupported = connection_->prepare(counts_sql("unsupported"));
  while (rows.step()) {
    ResultRow row = row_at(rows);
    row.reasons = counts_in(reasons, rows.integer(0), row.setting);
    row.unsupported = counts_in(unsupported, rows.integer(0), row.setting);
    take(row);
  }
}

std::optional<ResultRow> ResultDatabase::find(const std::string& bundle, std::int64_t setting) {
  Statement rows = connection_->prepare(
      "SELECT " + result_columns(counters_) +
      ", path FROM result JOIN bundle USING (bundle_id) WHERE path = ? AND setting_id = ?");
  rows.bind(0, std::string_view(bundle)).bind(1, setting);
  if (!rows.step()) return std::nullopt;
  ResultRow row = row_at(rows);
  Statement reasons = connection_->prepare(counts_sql("reason"));
  Statement unsupported = connection_->prepare(counts_sql("unsupported"));
  row.reasons = counts_in(reasons, rows.integer(0), setting);
  row.unsupported = counts_in(unsupported, rows.integer(0), setting);
  return row;
}

std::vector<ResultDatabase::Values> ResultDatabase::values_of(const std::string& counter) {
  const std::string prefix = std::string(kReasonsGroup) + ".";
  const bool is_reason = counter.starts_with(prefix);
  const std::string value =
      is_reason ? "(SELECT coalesce(sum(count), 0) FROM reason WHERE name = ?1 AND"
                  " reason.bundle_id = result.bundle_id AND reason.setting_id = result.setting_id)"
                : "result." + quoted_name(counter);
  Statement select = connection_->prepare(
      "SELECT setting_id, " + value +
      " AS value, path FROM result JOIN bundle USING (bundle_id)"
      " WHERE error IS NULL AND value IS NOT NULL ORDER BY setting_id, value, path");
  if (is_reason) select.bind(0, std::string_view(counter).substr(prefix.size()));
  std::vector<Values> values(
      static_cast<std::size_t>(connection_->query_integer("SELECT count(*) FROM setting")));
  while (select.step())
    values.at(static_cast<std::size_t>(select.integer(0) - 1))
        .emplace_back(read(select.integer(1)), select.text(2));
  return values;
}

// ---- writing ---------------------------------------------------------------------------------

std::int64_t ResultDatabase::setting_number(const SettingDescription& setting) {
  Statement& select = writing_->select_setting.bind(0, std::string_view(setting.options));
  if (select.step()) {
    const std::int64_t number = select.integer(0);
    select.reset();
    return number;
  }
  writing_->insert_setting.bind(0, std::string_view(setting.options))
      .bind(1, std::string_view(setting.common_options))
      .run();
  const std::int64_t number = connection_->last_row_id();
  std::int64_t ordinal = 0;
  for (const auto& [key, value] : setting.parameters)
    writing_->insert_parameter.bind(0, number)
        .bind(1, ++ordinal)
        .bind(2, std::string_view(key))
        .bind(3, std::string_view(value))
        .run();
  return number;
}

std::int64_t ResultDatabase::bundle_id(const std::string& path) {
  const auto known = bundle_ids_.find(path);
  if (known != bundle_ids_.end()) return known->second;
  Statement& select = writing_->select_bundle.bind(0, std::string_view(path));
  std::int64_t id = 0;
  if (select.step()) {
    id = select.integer(0);
    select.reset();
  } else {
    writing_->insert_bundle.bind(0, std::string_view(path)).run();
    id = connection_->last_row_id();
  }
  bundle_ids_.emplace(path, id);
  return id;
}

void ResultDatabase::finish() {
  connection_->execute("PRAGMA busy_timeout = 0");
  try {
    connection_->execute("PRAGMA journal_mode = DELETE");
  } catch (const model::InputError&) {  // a reader's; the log stays next to the database, nothing
                                        // is lost
    return;
  }
}

void ResultDatabase::put_counts(Statement& insert, std::int64_t bundle, std::int64_t setting,
                                const NamedCounts& counts) {
  for (const auto& [name, count] : counts)
    insert.bind(0, bundle)
        .bind(1, setting)
        .bind(2, std::string_view(name))
        .bind(3, stored(count))
        .run();
}

void ResultDatabase::put(const ResultRow& row) {
  const std::int64_t bundle = bundle_id(row.bundle);
  Statement& result = writing_->put_result;
  result.bind(0, bundle).bind(1, row.setting);
  bind_optional(result, 2, row.input_hash);
  result.bind(3, std::string_view(row.configuration_hash))
      .bind(4, std::string_view(row.fcsim_version));
  bind_optional(result, 5, row.error);
  result.bind(6, std::string_view(row.notes)).bind(7, std::string_view(row.warnings));
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto counter = row.counters.find(counters_[i]);
    const int parameter = kFixedColumns + static_cast<int>(i);
    if (counter == row.counters.end())
      result.bind_null(parameter);
    else
      result.bind(parameter, stored(counter->second));
  }
  result.run();
  writing_->delete_reasons.bind(0, bundle).bind(1, row.setting).run();
  put_counts(writing_->put_reason, bundle, row.setting, row.reasons);
  writing_->delete_unsupported.bind(0, bundle).bind(1, row.setting).run();
  put_counts(writing_->put_unsupported, bundle, row.setting, row.unsupported);
}

}  // namespace fcsim::questions::batch
