// The fcsim command: parses the command line, runs what was chosen, turns errors into statuses.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "build_information.h"
#include "model/common/error.h"
#include "sim/command/command.h"
#include "sim/command/help_formatter.h"
#include "sim/command/parse_error.h"
#include "sim/configuration/configuration.h"

namespace {

using namespace fcsim;

std::string version() {
  return std::string("fcsim ") + command::kVersion + " (" + command::kCommit + ")";
}

int fail(int status, const char* message) {
  command::tell(message);
  return status;
}

// Help and version go to standard output and are not errors; everything else is a usage error.
int report_parse_end(const CLI::App& application, const CLI::ParseError& end,
                     const std::string& first_argument) {
  if (end.get_exit_code() == 0) return application.exit(end);
  const std::string sentence = command::describe(application, end, first_argument);
  command::tell(sentence);
  std::fprintf(stderr, "Run 'fcsim --help' or 'fcsim COMMAND --help' for usage.\n");
  return command::kUsage;
}

// An option's value that cannot be used is a fault of the command line; what is wrong in a file is
// not. The place of such an error begins with the option.
bool is_about_option(const model::InputError& error) {
  return error.position().line == 0 && error.position().file.starts_with('-') &&
         error.position().file != "-";
}

int act(const command::Action& action) {
  try {
    return action();
  } catch (const command::UsageError& error) {
    return fail(command::kUsage, error.what());
  } catch (const configuration::ArgumentError& error) {
    return fail(command::kUsage, error.what());
  } catch (const model::InputError& error) {
    return fail(is_about_option(error) ? command::kUsage : command::kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return fail(command::kFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(command::kFailed, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App application{
      "Predicts what ext4's journal will do with a recorded workload: how many fsyncs become fast "
      "commits, how many fall back to full commits, and why."};
  application.formatter(command::help_formatter());
  application.name("fcsim");
  application.set_version_flag("--version", version());
  application.require_subcommand(1);
  command::Action action;
  command::add_run(application, action);
  command::add_explain(application, action);
  command::add_evaluate(application, action);
  command::add_report(application, action);
  command::add_exposure(application, action);
  command::add_fit(application, action);
  command::add_validate(application, action);
  command::add_compare(application, action);
  command::add_sweep(application, action);
  command::add_tune(application, action);
  command::add_batch(application, action);
  command::add_merge(application, action);
  command::add_workload(application, action);
  command::add_geometry(application, action);
  command::add_record(application, action);
  command::add_convert(application, action);
  command::add_help(application, action);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    return report_parse_end(application, end, argc > 1 ? argv[1] : "");
  }
  return act(action);
}
