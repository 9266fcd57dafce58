// fcsim batch: many bundles under many settings into a database, and what that says.
#include "sim/questions/batch/batch.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "build_information.h"
#include "sim/command/command.h"
#include "sim/machine/record/process.h"
#include "sim/questions/batch/export.h"
#include "sim/questions/batch/job_array.h"
#include "sim/report/batch_report.h"
#include "sim/support/text.h"

namespace fcsim::command {
namespace {

struct BatchOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  std::vector<std::string> parameters;
  std::string output;
  std::string shard;
  std::string export_form;  // csv or jsonl; empty: not asked for
  bool summary = false;
  bool status = false;
  std::size_t tasks = 0;  // --slurm; 0: not given
  bool submit = false;
  std::string progress_file;
  std::string format = "text";  // of the summary
  questions::batch::SummaryRequest of_summary;
};

// ---- progress --------------------------------------------------------------------------------

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600)
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  if (whole >= 60) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole) + " s";
}

// A line that is written over on a terminal, a line every half minute elsewhere.
class ProgressLine {
 public:
  ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), begin_(Clock::now()), last_(begin_) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const questions::batch::BatchProgress& progress) {
    const Clock::time_point now = Clock::now();
    if (now - last_ < (terminal_ ? kTerminalInterval : kLineInterval)) return;
    last_ = now;
    const std::string text = line(progress, std::chrono::duration<double>(now - begin_).count());
    std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "fcsim: %s\n", text.c_str());
    std::fflush(stderr);
    shown_ = true;
  }

  void clear() {
    if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kTerminalInterval = std::chrono::milliseconds(200);
  static constexpr Clock::duration kLineInterval = std::chrono::seconds(30);

  static std::string line(const questions::batch::BatchProgress& progress, double seconds) {
    std::string text = std::to_string(progress.bundles_finished) + " of " +
                       std::to_string(progress.bundles) + " bundles, " +
                       std::to_string(progress.kept + progress.made) + " of " +
                       std::to_string(progress.rows) + " rows";
    if (progress.errors != 0) text += ", " + std::to_string(progress.errors) + " errors";
    if (progress.made == 0 || seconds <= 0) return text;
    text += ", " + support::decimal(static_cast<double>(progress.made) / seconds, 0) + " rows/s";
    if (progress.share_made > 0)
      text += ", " + duration(seconds * progress.share_open / progress.share_made) + " left";
    return text;
  }

  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_;
  Clock::time_point last_;
};

// ---- shards ----------------------------------------------------------------------------------

std::optional<std::uint64_t> slurm_number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw UsageError(std::string("batch: --shard slurm: ") + name + "=" + text +
                     ": expected a number");
  return value;
}

// A job array numbers its tasks from MIN to MAX in steps of STEP. Where only ID and COUNT are
// given, tasks numbered one after the other are told apart for any first number.
questions::batch::Shard slurm_shard() {
  const auto id = slurm_number("SLURM_ARRAY_TASK_ID");
  const auto count = slurm_number("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count || *count == 0)
    throw UsageError(
        "batch: --shard slurm: expected SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT in the "
        "environment, as in a job array");
  const std::uint64_t first = slurm_number("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::uint64_t step =
      std::max<std::uint64_t>(1, slurm_number("SLURM_ARRAY_TASK_STEP").value_or(1));
  const auto last = slurm_number("SLURM_ARRAY_TASK_MAX");
  const bool gaps = last && (*last < first || (*last - first) / step + 1 != *count);
  if (gaps || *id < first || (*id - first) % step != 0)
    throw UsageError(
        "batch: --shard slurm: the array's task numbers have gaps; give --shard I/N instead");
  return {static_cast<std::size_t>((*id - first) / step % *count),
          static_cast<std::size_t>(*count)};
}

questions::batch::Shard shard_of(const BatchOptions& options) {
  if (options.shard.empty()) return {};
  if (options.shard == "slurm") return slurm_shard();
  try {
    return questions::batch::parse_shard(options.shard);
  } catch (const model::InputError& error) {
    throw UsageError(std::string("batch: ") + error.what());
  }
}

// ---- the three jobs --------------------------------------------------------------------------

const std::string& only_database(const BatchOptions& options, const std::string& option) {
  if (options.paths.size() != 1 || !options.output.empty() || !options.parameters.empty() ||
      !options.shard.empty())
    throw UsageError("batch " + option + ": expected a database and nothing else to do");
  return options.paths.front();
}

int export_rows(const BatchOptions& options) {
  auto database = questions::batch::ResultDatabase::open(only_database(options, "--export"));
  std::string piece;  // fewer, larger writes
  const auto sink = [&](std::string_view text) {
    piece += text;
    if (piece.size() < (std::size_t{1} << 20)) return;
    print(piece);
    piece.clear();
  };
  if (options.export_form == "csv")
    questions::batch::export_csv(database, sink);
  else
    questions::batch::export_json_lines(database, sink);
  print(piece);
  return kDone;
}

// How far the tasks of a job array are. All of them must be done for status 0.
int show_status(const BatchOptions& options) {
  const auto tasks = questions::batch::job_array_status(only_database(options, "--status"));
  std::string text = "task  rows  done  errors\n";
  questions::batch::TaskStatus all;
  std::size_t finished = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const questions::batch::TaskStatus& task = tasks[i];
    text += std::to_string(i + 1) + "  " + std::to_string(task.rows) + "  " +
            std::to_string(task.done) + "  " + std::to_string(task.errors) + "\n";
    all.rows += task.rows;
    all.done += task.done;
    all.errors += task.errors;
    finished += task.done >= task.rows ? 1 : 0;
  }
  text += "all: " + std::to_string(all.done) + " of " + std::to_string(all.rows) + " rows, " +
          std::to_string(all.errors) + " errors; " + std::to_string(finished) + " of " +
          std::to_string(tasks.size()) + " tasks done\n";
  print(text);
  return finished == tasks.size() ? kDone : kFailed;
}

int summarize(const BatchOptions& options) {
  auto database = questions::batch::ResultDatabase::open(only_database(options, "--summary"));
  print_document(report::batch_document(questions::batch::summarize(database, options.of_summary)),
                 options.format, options.common);
  return kDone;
}

questions::batch::BatchRequest request_of(const BatchOptions& options) {
  questions::batch::BatchRequest request;
  require_files("batch", options.common);
  request.folders = options.paths;
  request.configuration = options.common.load_request();
  for (const std::string& parameter : options.parameters)
    request.parameters.push_back(parameter_of("batch", parameter));
  request.mount_point = options.common.mount_point;
  request.strict = options.common.strict;
  request.shard = shard_of(options);
  request.threads = options.common.threads;
  request.database = options.output;
  request.version = std::string(kVersion) + " (" + kCommit + ")";
  return request;
}

// Writes a job array; with --submit Slurm gets it.
int make_job_array(const BatchOptions& options) {
  if (!options.shard.empty())
    throw UsageError("batch --slurm: deals the shards out itself; expected no --shard");
  const questions::batch::BatchRequest request = request_of(options);
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  questions::batch::write_job_array({request, options.parameters, error ? "fcsim" : program,
                                     std::filesystem::current_path().string(), options.tasks});
  const std::string submit = questions::batch::job_array_folder(options.output) + "/submit.sh";
  if (!options.submit) {
    print("sh " + questions::batch::shell_word(submit) + "\n");
    return kDone;
  }
  const auto [status, output, errors] = machine::record::run_program({"sh", submit});
  print(output);
  if (status == 0) return kDone;
  throw std::runtime_error("batch --submit: " + submit + ": status " + std::to_string(status) +
                           (errors.empty() ? "" : ": " + errors));
}

// When a task of a job array says how far it is: file systems of a cluster are slow.
constexpr auto kProgressFileInterval = std::chrono::seconds(5);

volatile std::sig_atomic_t stop_requested = 0;  // ^C
struct StopRequested {};

int predict(const BatchOptions& options) {
  if (options.paths.empty()) throw UsageError("batch: expected bundles or folders with bundles");
  if (options.output.empty()) throw UsageError("batch: expected -o RESULTS.db");
  if (options.tasks != 0) return make_job_array(options);
  if (options.submit) throw UsageError("batch --submit: expected --slurm TASKS");
  questions::batch::BatchRequest request = request_of(options);
  ProgressLine line;
  questions::batch::BatchProgress last;
  auto told_at = std::chrono::steady_clock::now();
  request.progress = [&](const questions::batch::BatchProgress& progress) {
    last = progress;
    if (stop_requested != 0) throw StopRequested{};
    if (!options.common.quiet) line.show(progress);
    const auto now = std::chrono::steady_clock::now();
    if (options.progress_file.empty() || now - told_at < kProgressFileInterval) return;
    told_at = now;
    questions::batch::write_progress(options.progress_file, progress);
  };
  std::signal(SIGINT, [](int) { stop_requested = 1; });
  const questions::batch::BatchProgress done = [&] {
    try {
      return questions::batch::run_batch(request);
    } catch (const StopRequested&) {
      line.clear();
      throw std::runtime_error("batch: interrupted; " + options.output + " holds " +
                               std::to_string(last.kept + last.made) + " of " +
                               std::to_string(last.rows) +
                               " rows: the same command goes on from there");
    }
  }();
  std::signal(SIGINT, SIG_DFL);
  line.clear();
  if (!options.progress_file.empty()) questions::batch::write_progress(options.progress_file, done);
  warn(options.common, options.output + ": " + std::to_string(done.rows) + " rows, " +
                           std::to_string(done.made) + " made now, " + std::to_string(done.kept) +
                           " kept");
  if (done.errors == 0) return kDone;
  std::fprintf(stderr, "fcsim: %s: %zu of %zu rows are errors\n", options.output.c_str(),
               done.errors, done.rows);
  return kFailed;
}

int run(const BatchOptions& options) {
  if (list_profiles_if_asked(options.common)) return kDone;
  if (!options.export_form.empty() && options.summary)
    throw UsageError("batch: expected --export or --summary, not both");
  if (options.status) return show_status(options);
  if (!options.export_form.empty()) return export_rows(options);
  if (options.summary) return summarize(options);
  return predict(options);
}

}  // namespace

void add_batch(CLI::App& application, Action& action) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* const subcommand =
      application.add_subcommand("batch", "predict many bundles under a grid of settings");
  subcommand->add_option("PATH", options->paths,
                         "bundles and folders with bundles; with --export or --summary a database");
  subcommand
      ->add_option("-p,--parameter", options->parameters,
                   "table.key=v1,v2,... or lo..hi*N or lo..hi+N (repeatable: the product)")
      ->allow_extra_args(false);
  subcommand->add_option("-o,--output", options->output,
                         "database of results (SQLite); rows that are still valid are kept");
  subcommand->add_option("--shard", options->shard,
                         "do share I of N only: I/N, or 'slurm' for a job array's task");
  subcommand
      ->add_option("--slurm", options->tasks,
                   "write a job array of N tasks and a merge into the folder OUTPUT.tasks")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  subcommand->add_flag("--submit", options->submit, "with --slurm: give both to sbatch");
  subcommand->add_flag("--status", options->status, "say how far a job array's tasks are");
  subcommand->add_option("--progress-file", options->progress_file,
                         "write there how far this is, for --status");
  subcommand->add_option("--export", options->export_form, "print a database's rows: csv or jsonl")
      ->check(CLI::IsMember({"csv", "jsonl"}));
  CLI::Option* const summary =
      subcommand->add_flag("--summary", options->summary,
                           "print the distribution of each counter and the best settings");
  subcommand
      ->add_option("-f,--format", options->format, "of the summary: text, markdown, csv or json")
      ->check(CLI::IsMember({"text", "markdown", "csv", "json"}))
      ->needs(summary);
  subcommand
      ->add_option("--counter", options->of_summary.counters,
                   "a counter to summarize, instead of all (repeatable)")
      ->allow_extra_args(false)
      ->needs(summary);
  subcommand
      ->add_option("--by", options->of_summary.by,
                   "the counter by which settings are compared (jbd2.transactions)")
      ->needs(summary);
  subcommand
      ->add_option("--baseline", options->of_summary.baseline,
                   "the setting to compare with, its number or options (1)")
      ->needs(summary);
  add_common_options(*subcommand, options->common);
  subcommand->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace fcsim::command
