// A batch's results as text: the same rows give the same bytes, however they came about.
#pragma once

#include <functional>
#include <string_view>

#include "sim/questions/batch/result_database.h"

namespace fcsim::questions::batch {

// Takes the text piece by piece.
using TextSink = std::function<void(std::string_view)>;

// A header and a line for each row, by bundle and number of the setting: bundle, setting, options,
// a column for each key of -p, input_hash, configuration_hash, fcsim_version, error, notes,
// warnings, the counters, fc_info.reasons.NAME, unsupported.NAME. Empty: has no such value.
void export_csv(ResultDatabase& database, const TextSink& sink);

// The same rows as one JSON object a line, the counters under their names in "counters", the values
// of -p in "parameters".
void export_json_lines(ResultDatabase& database, const TextSink& sink);

}  // namespace fcsim::questions::batch
