// fcsim convert: a trace or bundle in the binary form, which is read faster.
#include <CLI/CLI.hpp>

#include "build_information.h"
#include "sim/command/command.h"
#include "sim/questions/convert/convert.h"
#include "traces/binary/writer.h"

namespace fcsim::command {
namespace {

struct ConvertOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<int> zstd_level;
  std::string to;
  bool strict = false;
  bool replace = false;
  bool quiet = false;
};

std::string summary(const questions::convert::Converted& converted) {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  for (const traces::SourceFile& source : converted.sources) {
    bytes += source.bytes;
    lines += source.lines;
  }
  return converted.file + ": " + std::to_string(converted.events) + " events, " +
         std::to_string(converted.bytes) + " bytes, of " + std::to_string(lines) + " lines, " +
         std::to_string(bytes) + " bytes\n";
}

int run(const ConvertOptions& options) {
  if (options.zstd_level && !traces::binary::is_zstd_level(*options.zstd_level))
    throw UsageError("--zstd: expected a level from 1 to 22");
  const bool text =
      options.to == "strace" || (options.to.empty() && options.output.ends_with(".strace"));
  if (text && options.zstd_level) throw UsageError("--zstd is for the binary form");
  questions::convert::ConvertRequest request;
  request.text = text;
  request.inputs = options.inputs;
  request.output = options.output;
  request.zstd_level = options.zstd_level;
  request.strict = options.strict;
  request.replace = options.replace;
  request.fcsim_version = kVersion;
  const questions::convert::Converted converted = questions::convert::convert(request);
  CommonOptions common;
  common.quiet = options.quiet;
  for (const std::string& warning : converted.warnings) warn(common, warning);
  print(summary(converted));
  return kDone;
}

}  // namespace

void add_convert(CLI::App& application, Action& action) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* const subcommand = application.add_subcommand(
      "convert",
      "write a trace or bundle in the binary form, which is read faster, or as strace's text");
  subcommand
      ->add_option("INPUT", options->inputs,
                   "a bundle, a trace, the files of one 'strace -ff' together, or '-'")
      ->required();
  subcommand->add_option("-o,--output", options->output, "FILE.fct; of a bundle, a new folder")
      ->required();
  subcommand
      ->add_option("--to", options->to,
                   "binary or strace: the output's form (default: binary, but strace where the "
                   "output's name ends in .strace)")
      ->check(CLI::IsMember({"binary", "strace"}));
  subcommand->add_option("--zstd", options->zstd_level,
                         "compress at this level, 1 to 22 (otherwise not at all)");
  subcommand->add_flag("--strict", options->strict, "a line that cannot be parsed is an error");
  subcommand->add_flag("--force", options->replace,
                       "replace a file that is not a trace in the binary form");
  subcommand->add_flag("-q,--quiet", options->quiet, "no warnings");
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
