// The command line as data, for the man page and the completions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace fcsim::command {

// What completes the value of an option or an argument.
enum class ValueKind { none, choice, file, profile, command, workload, text };

struct OptionFacts {
  std::vector<std::string> names;  // with dashes, the short one first; empty: a positional argument
  std::string label;               // INPUT, or the value's placeholder; empty: a flag
  std::string description;
  ValueKind value = ValueKind::none;
  std::vector<std::string> choices;
};

struct CommandFacts {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionFacts> positionals;
  std::vector<OptionFacts> options;
};

// In the order of the help.
std::vector<CommandFacts> command_tree(const CLI::App& application);

// roff for man(7). `version` as fcsim --version prints it, without the commit.
std::string manual_page(const std::vector<CommandFacts>& commands, const std::string& version);

// `shell` is bash, zsh or fish.
std::string completion_script(const std::vector<CommandFacts>& commands, const std::string& shell);

}  // namespace fcsim::command
