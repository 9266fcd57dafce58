// fcsim record: run a program, or watch one, and keep all that a prediction needs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>

#include "sim/command/command.h"
#include "sim/command/recording.h"
#include "sim/machine/record/record.h"

namespace fcsim::command {
namespace {

struct RecordOptions {
  machine::record::RecordRequest request;
  bool no_compress = false;
  bool no_manifest = false;
  bool quiet = false;
};

void check(const machine::record::RecordRequest& request) {
  if (request.command.empty() && request.processes.empty())
    throw UsageError("record: expected a command behind '--', or -p PID");
  if (!request.command.empty() && !request.processes.empty())
    throw UsageError("record: expected a command or -p PID, not both");
}

int run(RecordOptions& options) {
  check(options.request);
  options.request.compress = !options.no_compress;
  options.request.manifest = !options.no_manifest;
  options.request.configuration_directories = configuration_directories();
  options.request.temporary = temporary_directory();
  CommonOptions messages;
  messages.quiet = options.quiet;
  if (!options.quiet) options.request.progress = tell_step;
  machine::record::SignalWatch signals;
  try {
    tell_recording(messages, machine::record::record(options.request, signals),
                   options.request.bundle);
  } catch (const machine::record::Interrupted& interrupted) {
    throw std::runtime_error(std::string("record: interrupted before strace ran: ") +
                             strsignal(interrupted.number()));
  }
  return kDone;
}

}  // namespace

void add_record(CLI::App& application, Action& action) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "record", "run a program under strace and keep what a prediction needs, as a bundle");
  subcommand->add_option("-o,--output", options->request.bundle, "the bundle's folder")->required();
  subcommand->add_option("COMMAND", options->request.command,
                         "the program and its arguments, behind '--'");
  subcommand
      ->add_option("-p,--pid", options->request.processes,
                   "record a running program and its descendants instead, until it ends or ^C "
                   "(repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  subcommand->add_option("--mount-point", options->request.mount_point,
                         "a folder on the file system to record; without it that of the current "
                         "folder, or the one on which the running program has most files open for "
                         "writing");
  subcommand->add_flag("--no-compress", options->no_compress, "trace.strace, not compressed");
  subcommand->add_flag(
      "--no-manifest", options->no_manifest,
      "do not list the files that exist: quicker on a large file system, but their "
      "sizes and extents are guessed");
  subcommand->add_flag("--force", options->request.replace, "replace the bundle that is there");
  subcommand->add_flag("-q,--quiet", options->quiet, "no messages");
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
