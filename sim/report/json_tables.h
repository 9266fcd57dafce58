// Parts of the JSON form that more than one report has. Known only here and to their makers: the
// tables of the TOML library, which also writes JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/configuration/toml.h"
#include "sim/engine/prediction.h"

namespace fcsim::report {

// The table at a dotted path, made where it is missing.
toml::table& table_at(toml::table& root, std::string_view path);

toml::array array_of(const std::vector<std::string>& texts);

// Every key that has a value.
toml::table configuration_table(const configuration::LoadedConfiguration& configuration);

// fc_info, jbd2, causes, sync_calls, fast_commit, trace of the JSON form.
void insert_counters(toml::table& root, const engine::Prediction& prediction);

// config, assumed, notes, unsupported of the JSON form.
void insert_reservations(toml::table& root, const configuration::LoadedConfiguration& configuration,
                         const engine::Prediction& prediction);

// With keys sorted, and a line feed.
std::string json_text(const toml::table& root);

}  // namespace fcsim::report
