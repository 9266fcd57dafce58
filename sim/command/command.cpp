#include "sim/command/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <sys/auxv.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "build_information.h"
#include "sim/support/utf8.h"

namespace fcsim::command {

configuration::LoadRequest CommonOptions::load_request() const {
  configuration::LoadRequest request;
  request.files = configuration_files;
  request.profile = profile;
  request.settings = settings;
  if (!descriptors.empty()) {
    std::string list;
    for (const std::string& descriptor : descriptors)
      list += (list.empty() ? "" : ",") + descriptor;
    request.settings.push_back("trace.descriptors=" + list);
  }
  if (unknown_are_files) request.settings.emplace_back("trace.unknown_are_files=true");
  if (!timing.empty()) request.settings.push_back("trace.timing=" + timing);
  request.directories = configuration_directories();
  return request;
}

void add_common_options(CLI::App& subcommand, CommonOptions& options) {
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  // Without this a repeatable option would also take the arguments after its value.
  const auto repeatable = [](CLI::Option* option) { option->allow_extra_args(false); };
  repeatable(subcommand.add_option("-c,--config", options.configuration_files,
                                   "configuration file (repeatable, later ones override)"));
  repeatable(subcommand.add_option("--set", options.settings,
                                   "table.key=value, overrides the files (repeatable)"));
  subcommand.add_option("-k,--kernel", options.profile,
                        "kernel profile: a name, a path ending in .toml, or 'help' for a list");
  subcommand.add_option("-j,--threads", options.threads, "threads to use")
      ->check(CLI::Range(1, 4096));
  subcommand.add_flag("-q,--quiet", options.quiet, "no warnings");
  subcommand.add_flag("--no-color", options.no_color, "no colours, as with NO_COLOR");
  subcommand.add_option("--mount-point", options.mount_point,
                        "where the traced file system was mounted");
  repeatable(subcommand.add_option(
      "--fd", options.descriptors,
      "N=PATH: the file of a descriptor that the trace does not explain (repeatable)"));
  subcommand.add_flag("--unknown-are-files", options.unknown_are_files,
                      "descriptors that nothing explains are files of the file system");
  subcommand
      .add_option(
          "--timing", options.timing,
          "recorded: calls start when they did; closed: think times are kept and waits follow "
          "from [device]")
      ->check(CLI::IsMember({"recorded", "closed"}));
  subcommand.add_flag("--strict", options.strict, "a line that cannot be parsed is an error");
}

std::vector<std::string> configuration_directories() {
  namespace fs = std::filesystem;
  std::vector<std::string> directories;
  if (const char* given = std::getenv("FCSIM_CONFIG_DIR"); given != nullptr && *given != '\0')
    directories.emplace_back(given);
  std::error_code error;
  fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) {  // no /proc, as in a bare chroot: the name with which this was started
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what the kernel hands over is a number
    const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    error.clear();
    if (started != nullptr) executable = fs::absolute(started, error);
  }
  if (!error && !executable.empty())
    directories.push_back(
        (executable.parent_path().parent_path() / "share" / "fcsim").lexically_normal().string());
  directories.emplace_back(kSourceConfigs);
  return directories;
}

bool list_profiles_if_asked(const CommonOptions& options) {
  if (options.profile != "help") return false;
  const std::vector<configuration::ProfileSummary> profiles =
      configuration::list_profiles(configuration_directories());
  std::size_t width = 0;
  for (const auto& profile : profiles) width = std::max(width, profile.name.size());
  std::string text;
  for (const auto& profile : profiles)
    text +=
        profile.name + std::string(width - profile.name.size() + 2, ' ') + profile.summary + "\n";
  print(text);
  return true;
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw std::runtime_error(std::string("standard output: ") + std::strerror(errno));
}

void tell(std::string_view sentence) {
  std::fprintf(stderr, "fcsim: %s\n", support::printable(sentence).c_str());
}

void warn(const CommonOptions& options, std::string_view text) {
  if (!options.quiet) tell(text);
}

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Columns of the terminal on standard output; 0 where it is none.
std::size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace

bool use_color(const CommonOptions& options) {
  return !options.no_color && environment("NO_COLOR").empty() && environment("TERM") != "dumb" &&
         isatty(STDOUT_FILENO) == 1;
}

void print_document(const report::Document& document, const std::string& format,
                    const CommonOptions& options) {
  if (format == "json")
    print(support::json_text(json_of(document)));
  else if (format == "csv")
    print(csv_of(document));
  else if (format == "markdown")
    print(markdown_of(document));
  else
    print(text_of(document, {use_color(options), terminal_width()}));
}

}  // namespace fcsim::command
