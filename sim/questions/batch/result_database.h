// The results of a batch in SQLite. docs/batch.md describes the schema for readers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/prediction.h"
#include "sim/questions/batch/hash.h"
#include "sim/questions/batch/sqlite.h"
#include "sim/questions/batch/writer_lock.h"

namespace fcsim::questions::batch {

// What a row of results was made with, in addition to the bundle.
struct SettingDescription {
  std::string options;         // of `fcsim run`: "-k 7.2 --set table.key=value"; identifies it
  std::string common_options;  // those that all settings of its batch shared
  std::vector<std::pair<std::string, std::string>> parameters;  // key and value, as -p gave them
};

using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;  // sorted by name, no zeros

// One bundle under one setting.
struct ResultRow {
  std::string bundle;                     // path as it was found
  std::int64_t setting = 0;               // its number in the database, from 1
  std::optional<std::string> input_hash;  // nullopt: the bundle could not be read
  std::string configuration_hash;         // of the error's text, where that was refused
  std::string fcsim_version;
  std::optional<std::string> error;  // set: no counters
  std::string notes;                 // a JSON array of strings
  std::string warnings;              // the same
  std::map<std::string, std::uint64_t> counters;
  NamedCounts reasons;
  NamedCounts unsupported;
  friend bool operator==(const ResultRow&, const ResultRow&) = default;
};

// Puts a prediction's numbers into the row.
void set_counters(ResultRow& row, const engine::Prediction& prediction);

// The part of a row that tells whether it is still valid.
struct RowState {
  std::string bundle;
  std::int64_t setting = 0;
  std::optional<Hash> input;
  std::optional<Hash> configuration;
  bool same_version = false;
  bool failed = false;
};

// Throws InputError naming the database for anything that is wrong with it: no database, another
// program's, a newer schema, a full disk.
class ResultDatabase {
 public:
  // For writing: makes the database where there is none, refuses it to a second writer.
  static ResultDatabase create(const std::string& path);
  // For reading; everything is read as of now, without what a writer adds meanwhile.
  static ResultDatabase open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return connection_->path(); }

  // Counters that have columns, in their order. Reasons and what is unsupported have tables.
  [[nodiscard]] const std::vector<std::string>& counters() const { return counters_; }

  // ---- reading ----
  std::vector<SettingDescription> settings();  // number n is at n - 1
  std::vector<std::string> reasons();          // names that any row has, sorted
  std::vector<std::string> unsupported();
  std::vector<RowState> states(const std::string& version);
  // All rows, sorted by bundle and setting.
  void for_each(const std::function<void(const ResultRow&)>& take);
  std::optional<ResultRow> find(const std::string& bundle, std::int64_t setting);
  // The counter's values by setting (number n at n - 1), each with its bundle's path, sorted by
  // value and path. `counter` is one of counters() or "fc_info.reasons.NAME".
  using Values = std::vector<std::pair<std::uint64_t, std::string>>;
  std::vector<Values> values_of(const std::string& counter);

  // ---- writing: within a transaction ----
  [[nodiscard]] Transaction begin() { return {*connection_, Access::write}; }
  // The number of the setting with these options; adds it after the others if it is new.
  std::int64_t setting_number(const SettingDescription& setting);
  // Adds the row or replaces the one for its bundle and setting.
  void put(const ResultRow& row);

  // Outside of a transaction, when all is written: leaves a single file without write-ahead log,
  // which can also be read where nothing can be written. Does nothing while a reader is at work.
  void finish();

 private:
  ResultDatabase() = default;
  void check_kind(bool may_be_new);
  void make_schema();
  void read_columns();
  void prepare_writing();
  std::int64_t bundle_id(const std::string& path);
  ResultRow row_at(const Statement& statement);
  void put_counts(Statement& insert, std::int64_t bundle, std::int64_t setting,
                  const NamedCounts& counts);
  std::vector<std::string> names_in(const std::string& table);
  NamedCounts counts_in(Statement& select, std::int64_t bundle, std::int64_t setting);

  std::unique_ptr<WriterLock> lock_;  // released last
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Transaction> reading_;
  std::vector<std::string> counters_;
  struct Statements {
    Statement select_bundle, insert_bundle, select_setting, insert_setting, insert_parameter,
        put_result, delete_reasons, put_reason, delete_unsupported, put_unsupported;
  };
  std::unique_ptr<Statements> writing_;
  std::map<std::string, std::int64_t> bundle_ids_;  // those committed or on their way
};

}  // namespace fcsim::questions::batch
