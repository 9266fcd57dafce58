// The forms in which one prediction is given. All return text and print nothing.
#pragma once

#include <string>

#include "sim/configuration/configuration.h"
#include "sim/engine/prediction.h"

namespace fcsim::report {

struct TextStyle {
  bool color = false;  // ANSI escapes for headings
};

// For people: the answer first, then what it rests on.
std::string text_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction, const TextStyle& style);

// One JSON object and a line feed; keys sorted, counters as integers:
//   fc_info {commits, ineligible, numblks, reasons{}, snapshot{} where the kernel has it}
//   jbd2 {transactions, requested, blocks, blocks_logged, handles, max_transaction_blocks}
//   causes {}, whose sum is jbd2.transactions; sync_calls {}; fast_commit {active, failed, skipped}
//   stages [{admin, and the counters above}], the runs of a recording with administrator's steps
//   config {} of every key with a value; assumed [], notes []; unsupported {}
std::string json_report(const configuration::LoadedConfiguration& configuration,
                        const engine::Prediction& prediction);

// "counter,value" and a line for each counter, named as in the JSON form with dots.
std::string csv_report(const engine::Prediction& prediction);

// /proc/fs/ext4/DEV/fc_info, byte for byte, with times that are modelled or 0.
std::string fc_info_report(const engine::Prediction& prediction);

// /proc/fs/jbd2/DEV-8/info likewise; empty without a journal.
std::string jbd2_info_report(const engine::Prediction& prediction);

// What a cause means, in a few words.
std::string_view explanation(model::Cause cause);

}  // namespace fcsim::report
