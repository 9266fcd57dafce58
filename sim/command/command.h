// What the subcommands share. Only this folder prints, reads the environment and knows CLI11.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/configuration/configuration.h"
#include "sim/questions/sweep/parameter.h"
#include "sim/replay/predict_many.h"
#include "sim/report/document.h"

namespace CLI {
class App;
}

namespace fcsim::command {

// Exit statuses.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  // the input, the prediction or the comparison failed
inline constexpr int kUsage = 2;   // the command line is at fault

// A command line that parses and has no meaning. Becomes exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the chosen subcommand will do once the command line is parsed; returns the exit status.
using Action = std::function<int()>;

// One function for each subcommand: adds it to the application and sets `action` when it is chosen.
void add_run(CLI::App& application, Action& action);
void add_validate(CLI::App& application, Action& action);
void add_compare(CLI::App& application, Action& action);
void add_sweep(CLI::App& application, Action& action);
void add_tune(CLI::App& application, Action& action);
void add_batch(CLI::App& application, Action& action);
void add_merge(CLI::App& application, Action& action);
void add_fit(CLI::App& application, Action& action);
void add_evaluate(CLI::App& application, Action& action);
void add_report(CLI::App& application, Action& action);
void add_exposure(CLI::App& application, Action& action);
void add_explain(CLI::App& application, Action& action);
void add_workload(CLI::App& application, Action& action);
void add_geometry(CLI::App& application, Action& action);
void add_record(CLI::App& application, Action& action);
void add_convert(CLI::App& application, Action& action);
// Last: it also gives the other subcommands their examples.
void add_help(CLI::App& application, Action& action);

struct CommonOptions;

// `run` with a scenario in place of a trace (scenario.cpp).
bool is_scenario(const std::vector<std::string>& inputs);
int run_scenario(const std::string& path, const std::string& format, const CommonOptions& options);

// Options that every subcommand takes.
struct CommonOptions {
  std::vector<std::string> configuration_files;  // -c
  std::vector<std::string> settings;             // --set
  std::string profile;                           // -k
  unsigned threads = 1;                          // -j
  bool quiet = false;                            // -q
  bool no_color = false;                         // --no-color
  std::vector<std::string> descriptors;          // --fd
  bool unknown_are_files = false;                // --unknown-are-files
  std::string mount_point;                       // --mount-point
  std::string timing;                            // --timing
  bool strict = false;                           // --strict

  [[nodiscard]] configuration::LoadRequest load_request() const;
};

void add_common_options(CLI::App& subcommand, CommonOptions& options);

// Throws UsageError where -c is standard input, which can be read only once.
void require_files(const std::string& subcommand, const CommonOptions& options);

// -p. Throws UsageError where it cannot be read.
questions::sweep::Parameter parameter_of(const std::string& subcommand, const std::string& text);

// A request for many predictions of the inputs, with progress on standard error where that is a
// terminal. `subcommand` is for messages.
replay::PredictManyRequest many_predictions(const std::string& subcommand,
                                            const CommonOptions& options,
                                            const std::vector<std::string>& inputs);

// Folders that hold kernels/ and devices/: $FCSIM_CONFIG_DIR, ../share/fcsim next to the executable
// (what is installed), the source tree this was built from.
std::vector<std::string> configuration_directories();

// -k help: the profiles with their summaries. True if that was asked for and done.
bool list_profiles_if_asked(const CommonOptions& options);

// The document in one of the forms "text", "markdown", "csv" and "json".
void print_document(const report::Document& document, const std::string& format,
                    const CommonOptions& options);

// Writes to standard output; throws std::runtime_error when that fails (disk full, closed).
void print(std::string_view text);

// Writes a line to standard error. Control characters of names are escaped (support::printable).
void tell(std::string_view sentence);

// The same, unless quiet.
void warn(const CommonOptions& options, std::string_view text);

// True where standard output is a terminal that knows escapes, and neither --no-color nor NO_COLOR
// is given.
bool use_color(const CommonOptions& options);

}  // namespace fcsim::command
