// The forms in which one prediction is given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"
#include "sim/report/document.h"

namespace fcsim::report {

// The answer first, then what it rests on. For text and Markdown.
Document prediction_document(const configuration::LoadedConfiguration& configuration,
                             const engine::Prediction& prediction);

// Notes, what was assumed, what could not be seen.
void add_basis(Document& document, const configuration::LoadedConfiguration& configuration,
               const engine::Prediction& prediction);

// One JSON object and a line feed; counters are integers:
//   the groups of model::counter_groups(): fc_info {commits, ineligible, numblks, reasons{},
//     snapshot{} where the kernel has it}, jbd2 {}, causes {} whose sum is jbd2.transactions,
//     sync_calls {}, fast_commit {active, failed, skipped, ...}, ...
//   stages [{admin, and the counters above}], the runs of a recording with administrator's steps
//   config {} of every key with a value; assumed [], notes []; unsupported {}
std::string json_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction);

// "counter,value" and a line for each counter, named as in the JSON form with dots.
std::string csv_report(const engine::Prediction& prediction);

// /proc/fs/ext4/DEV/fc_info, byte for byte, with 0 for all times.
std::string fc_info_report(const engine::Prediction& prediction);
// The `trans` and `log` lines of /sys/fs/xfs/DEV/stats/stats.
std::string xfs_stats_report(const engine::Prediction& prediction);
// What the file system's kernel shows: those lines, or the two /proc files.
std::string kernel_report(const engine::Prediction& prediction);

// /proc/fs/jbd2/DEV-8/info likewise; empty without a journal.
std::string jbd2_info_report(const engine::Prediction& prediction);

}  // namespace fcsim::report
