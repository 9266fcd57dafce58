// fcsim record: run a program, or watch one, and keep all that a prediction needs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "build_information.h"
#include "sim/command/command.h"
#include "sim/command/recording.h"
#include "sim/machine/record/record.h"

namespace fcsim::command {
namespace {

struct RecordOptions {
  machine::record::RecordRequest request;
  std::string with;
  std::string duration;
  std::uint64_t ring_mib = 0;
  bool no_compress = false;
  bool no_manifest = false;
  bool keep_data = false;
  bool quiet = false;
};

void check(const machine::record::RecordRequest& request) {
  if (request.command.empty() && request.processes.empty() && !request.everybody)
    throw UsageError("record: expected a command after '--', -p PID or --whole-file-system");
  if (!request.command.empty() && !request.processes.empty())
    throw UsageError("record: expected a command or -p PID, not both");
  if (request.everybody && !request.processes.empty())
    throw UsageError("record: expected -p PID or --whole-file-system, not both");
}

// "60s", "5m", "1h", "1.5": seconds where no unit is given.
std::optional<std::int64_t> duration_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(read.ptr, text.data() + text.size());
  const double scale = unit == "ms" ? 1e6 : unit == "m" ? 60e9 : unit == "h" ? 3600e9 : 1e9;
  const bool known = unit.empty() || unit == "s" || scale != 1e9;
  if (read.ec != std::errc{} || !known || !(value > 0) || value * scale > 9e18)
    throw UsageError("record: --for: expected a time such as 60s, 500ms, 5m or 1h, found '" + text +
                     "'");
  return static_cast<std::int64_t>(value * scale);
}

// "git.bundle" for git, "pid-7.bundle", "whole.bundle"; "git-2.bundle" where that is there.
std::string default_bundle(const machine::record::RecordRequest& request) {
  namespace fs = std::filesystem;
  std::string name = "whole";
  if (!request.command.empty())
    name = fs::path(request.command.front()).filename().string();
  else if (!request.processes.empty())
    name = "pid-" + std::to_string(request.processes.front());
  std::error_code error;
  std::string bundle = name + ".bundle";
  for (unsigned number = 2; fs::exists(bundle, error); ++number)
    bundle = name + "-" + std::to_string(number) + ".bundle";
  return bundle;
}

int run(RecordOptions& options) {
  check(options.request);
  if (options.request.bundle.empty()) options.request.bundle = default_bundle(options.request);
  options.request.duration_ns = duration_of(options.duration);
  if (options.with == "strace") options.request.source = machine::record::RecordSource::strace;
  if (options.with == "tracepoints")
    options.request.source = machine::record::RecordSource::tracepoints;
  if (options.ring_mib != 0) options.request.ring_bytes = std::bit_ceil(options.ring_mib) << 20;
  options.request.fcsim_version = kVersion;
  options.request.compress = !options.no_compress;
  options.request.manifest = !options.no_manifest;
  options.request.keep_data = options.keep_data;
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
    throw std::runtime_error(std::string("record: interrupted before the recording began: ") +
                             strsignal(interrupted.number()));
  }
  return kDone;
}

}  // namespace

void add_record(CLI::App& application, Action& action) {
  auto options = std::make_shared<RecordOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "record",
      "record a program, a running one or a whole file system, and keep what a prediction "
      "needs, as a bundle");
  subcommand->add_option("-o,--output", options->request.bundle,
                         "the bundle's folder (default: NAME.bundle in the current folder, with a "
                         "number where that is there)");
  subcommand->add_option("COMMAND", options->request.command,
                         "the program and its arguments, after '--'");
  subcommand
      ->add_option("-p,--pid", options->request.processes,
                   "record a running program and its descendants instead, until it ends or ^C "
                   "(repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  subcommand->add_flag(
      "--whole-file-system", options->request.everybody,
      "record every process that uses the file system, until the command ends, --for is "
      "over or ^C (through tracepoints only)");
  subcommand->add_option("--for", options->duration,
                         "end the recording after this time: 60s, 5m (through tracepoints only)");
  subcommand
      ->add_option("--with", options->with,
                   "what records: the kernel's tracepoints (the default where they work) or strace")
      ->check(CLI::IsMember({"strace", "tracepoints"}));
  subcommand
      ->add_option("--ring", options->ring_mib,
                   "MiB of the tracepoints' ring buffer, rounded up to a power of two (default: 32 "
                   "for each two processors)")
      ->check(CLI::Range(1, 2048));
  subcommand->add_option("--mount-point", options->request.mount_point,
                         "a folder on the file system to record; without it that of the current "
                         "folder, or the one on which the running program has most files open for "
                         "writing");
  subcommand->add_flag("--no-compress", options->no_compress, "do not compress the trace");
  subcommand->add_flag(
      "--no-manifest", options->no_manifest,
      "do not list the files that exist: quicker on a large file system, but their "
      "sizes and extents are guessed");
  subcommand->add_flag("--keep-data", options->keep_data,
                       "keep what strace shows of the contents of files (64 bytes of each read and "
                       "write) and the arguments of programs; no prediction needs them");
  subcommand->add_flag("--force", options->request.replace, "replace the bundle that is there");
  subcommand->add_flag("-q,--quiet", options->quiet, "no messages");
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
