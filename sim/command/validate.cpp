// fcsim validate: predictions against what the kernel counted.
#include <CLI/CLI.hpp>

#include "sim/command/command.h"
#include "sim/report/validation_text.h"
#include "sim/validation/validate.h"

namespace fcsim::command {
namespace {

struct ValidateOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  bool blocks = false;
  bool first_difference = false;
};

int run(const ValidateOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (options.paths.empty()) throw UsageError("validate: expected bundles or folders of bundles");
  sim::ValidateRequest request;
  request.paths = options.paths;
  request.configuration = options.common.load_request();
  request.threads = options.common.threads;
  request.strict = options.common.strict;
  request.blocks = options.blocks;
  request.first_difference = options.first_difference;
  sim::ValidationText text(sim::find_bundles(options.paths));
  sim::validate(request, [&](const sim::BundleResult& result) { print(text.line(result)); });
  print(text.summary());
  return text.all_fine() ? kDone : kFailed;
}

}  // namespace

void add_validate(CLI::App& application, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("validate", "compare predictions with what the kernel counted");
  subcommand->add_option("PATH", options->paths,
                         "bundles, or folders in which bundles are looked for");
  subcommand->add_flag("--blocks", options->blocks,
                       "compare the blocks of each full commit with the kernel's too");
  subcommand->add_flag("--first-difference", options->first_difference,
                       "name the first commit that differs, and the line of the trace behind it");
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
