// fcsim merge: the databases of several batches, or of the shards of one, into one.
#include "sim/questions/batch/merge.h"

#include <CLI/CLI.hpp>

#include "sim/command/command.h"

namespace fcsim::command {
namespace {

struct MergeOptions {
  CommonOptions common;  // -q alone
  std::vector<std::string> inputs;
  std::string output;
};

int run(const MergeOptions& options) {
  if (options.inputs.empty()) throw UsageError("merge: expected databases of fcsim batch");
  if (options.output.empty()) throw UsageError("merge: expected -o ALL.db");
  const questions::batch::MergeResult result =
      questions::batch::merge_batches(options.inputs, options.output);
  warn(options.common, options.output + ": " + std::to_string(result.added) + " of " +
                           std::to_string(result.rows) + " rows added, " +
                           std::to_string(result.settings) + " settings");
  return kDone;
}

}  // namespace

void add_merge(CLI::App& application, Action& action) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("merge", "join databases of fcsim batch into one");
  subcommand->add_option("DATABASE", options->inputs, "databases of fcsim batch");
  subcommand->add_option("-o,--output", options->output,
                         "database to add their rows to; made if it is not there");
  subcommand->add_flag("-q,--quiet", options->common.quiet, "say nothing about what was done");
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
