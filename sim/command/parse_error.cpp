#include "sim/command/parse_error.h"

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "sim/command/command_tree.h"
#include "sim/configuration/nearest.h"

namespace fcsim::command {
namespace {

std::string unknown_command(const CLI::App& application, const std::string& given) {
  const std::vector<CommandFacts> commands = command_tree(application);
  std::vector<std::string_view> names;
  for (const CommandFacts& command : commands) names.emplace_back(command.name);
  return "there is no command '" + given + "'" + configuration::suggest_nearest(given, names);
}

// The options of the chosen command that may have been meant; "" where none is near.
std::string suggest_option(const CLI::App& application, const std::string& given) {
  const auto chosen = application.get_subcommands();
  if (chosen.empty() || !given.starts_with("--")) return "";
  std::vector<std::string_view> names;
  const std::vector<CommandFacts> commands = command_tree(application);
  for (const CommandFacts& command : commands)
    if (command.name == chosen.front()->get_name())
      for (const OptionFacts& option : command.options)
        names.insert(names.end(), option.names.begin(), option.names.end());
  return configuration::suggest_nearest(given.substr(0, given.find('=')), names);
}

// CLI11 prints the largest double as the end of an open range.
std::string without_open_end(std::string message) {
  const std::size_t range = message.find(" not in range 0.000000 to ");
  if (range == std::string::npos) return message;
  return message.substr(0, range) + ": expected 0 or more";
}

}  // namespace

std::string describe(const CLI::App& application, const CLI::ParseError& error,
                     const std::string& first_argument) {
  if (application.get_subcommands().empty()) {
    if (first_argument.empty()) return "expected a command";
    if (first_argument.front() != '-') return unknown_command(application, first_argument);
  }
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return without_open_end(error.what());
  for (const CLI::App* command : application.get_subcommands())
    for (const std::string& extra : command->remaining())
      if (const std::string suggestion = suggest_option(application, extra); !suggestion.empty())
        return "the argument '" + extra + "' was not expected" + suggestion;
  return error.what();
}

}  // namespace fcsim::command
