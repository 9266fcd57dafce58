#include "sim/command/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "sim/workload/workload.h"

namespace fcsim::command {
namespace {

constexpr std::array<std::string_view, 5> kFileOptions = {"--config", "--output", "--keep", "-a",
                                                          "-b"};
constexpr std::array<std::string_view, 6> kFilePositionals = {"INPUT",   "PATH", "DATABASE",
                                                              "COMMAND", "FILE", "FOLDER"};

template <std::size_t Count>
bool holds(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "TEXT:{text,json}" -> text, json
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string word;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (type[i] != ',' && type[i] != '}') {
      word += type[i];
    } else {
      choices.push_back(word);
      word.clear();
    }
  }
  return choices;
}

// The values that are known without running: commands, workloads.
void add_known_values(OptionFacts& facts, const std::vector<std::string>& commands) {
  if (facts.value == ValueKind::command) {
    facts.choices = commands;
    facts.choices.emplace_back("configuration");
  } else if (facts.value == ValueKind::workload) {
    for (const auto& workload : workload::workloads()) facts.choices.emplace_back(workload.name);
    facts.choices.emplace_back("help");
  }
}

ValueKind value_kind(const CLI::Option& option, const OptionFacts& facts) {
  if (option.get_items_expected_max() == 0) return ValueKind::none;
  if (!facts.choices.empty()) return ValueKind::choice;
  if (facts.names.empty()) {
    if (facts.label == "TOPIC") return ValueKind::command;
    if (facts.label == "NAME") return ValueKind::workload;
    return holds(kFilePositionals, facts.label) ? ValueKind::file : ValueKind::text;
  }
  const std::string& name = facts.names.back();
  if (name == "--kernel") return ValueKind::profile;
  return holds(kFileOptions, name) ? ValueKind::file : ValueKind::text;
}

OptionFacts facts_of(const CLI::Option& option, const std::vector<std::string>& commands) {
  OptionFacts facts;
  facts.description = option.get_description();
  facts.choices = choices_of(option.get_type_name());
  if (option.get_positional()) {
    facts.label = option.get_name(true);
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.value = value_kind(option, facts);
  if (!option.get_positional() && facts.value != ValueKind::none) facts.label = "VALUE";
  if (facts.value == ValueKind::file && facts.label == "VALUE") facts.label = "FILE";
  if (facts.value == ValueKind::profile) facts.label = "PROFILE";
  add_known_values(facts, commands);
  return facts;
}

CommandFacts facts_of(const CLI::App& command, const std::vector<std::string>& commands) {
  CommandFacts facts{command.get_name(), command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
    (option->get_positional() ? facts.positionals : facts.options)
        .push_back(facts_of(*option, commands));
  return facts;
}

}  // namespace

std::vector<CommandFacts> command_tree(const CLI::App& application) {
  std::vector<std::string> names;
  std::vector<CommandFacts> commands;
  const auto all = application.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : all) names.push_back(command->get_name());
  for (const CLI::App* command : all) commands.push_back(facts_of(*command, names));
  return commands;
}

}  // namespace fcsim::command
