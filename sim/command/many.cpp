// What compare, sweep and tune share: many predictions of one trace.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "sim/command/command.h"

namespace fcsim::command {
namespace {

// One line that is written over; gone at the end.
void show(const replay::Progress& progress) {
  if (progress.done == progress.all)
    std::fputs("\r\033[K", stderr);
  else
    std::fprintf(stderr, "\r%zu of %zu predictions done, %zu under way at operation %llu ",
                 progress.done, progress.all, progress.at_work,
                 static_cast<unsigned long long>(progress.operations));
  std::fflush(stderr);
}

}  // namespace

void require_files(const std::string& subcommand, const CommonOptions& options) {
  const std::vector<std::string>& files = options.configuration_files;
  if (std::find(files.begin(), files.end(), "-") != files.end())
    throw UsageError(subcommand + ": -c -: expected a file, as it is read several times");
}

questions::sweep::Parameter parameter_of(const std::string& subcommand, const std::string& text) {
  try {
    return questions::sweep::parse_parameter(text);
  } catch (const model::InputError& error) {
    throw UsageError(subcommand + ": " + error.what());
  }
}

replay::PredictManyRequest many_predictions(const std::string& subcommand,
                                            const CommonOptions& options,
                                            const std::vector<std::string>& inputs) {
  require_files(subcommand, options);  // every point of a grid reads the configuration anew
  replay::PredictManyRequest request;
  request.inputs = inputs;
  request.mount_point = options.mount_point;
  request.strict = options.strict;
  request.threads = options.threads;
  if (!options.quiet && isatty(STDERR_FILENO) == 1) request.progress = show;
  return request;
}

}  // namespace fcsim::command
