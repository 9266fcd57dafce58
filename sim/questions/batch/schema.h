// The schema of a batch's database, version 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fcsim::questions::batch {

inline constexpr std::int64_t kApplicationId = 0x66637362;  // "fcsb"; PRAGMA application_id
inline constexpr std::int64_t kSchemaVersion = 1;           // PRAGMA user_version

// Columns of the table `result` before the counters, which are model::counter_names().
inline constexpr int kFixedColumns = 8;

// SQL that makes tables, views and the two pragmas in an empty database.
std::string schema_sql();

// Quoted for SQL as a name.
std::string quoted_name(const std::string& name);

// SQL that makes the view `results` anew, for these counters.
std::string results_view_sql(const std::vector<std::string>& counters);

}  // namespace fcsim::questions::batch
