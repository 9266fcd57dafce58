// What bash, zsh and fish complete after "fcsim".
#include "sim/command/command_tree.h"

namespace fcsim::command {
namespace {

constexpr const char* kProfiles = "fcsim run -k help 2>/dev/null | cut -d\" \" -f1";

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// `text` with `escape` in front of each of `special`.
std::string escaped(const std::string& text, const std::string& special,
                    const std::string& escape) {
  std::string result;
  for (const char character : text) {
    if (special.find(character) != std::string::npos) result += escape;
    result += character;
  }
  return result;
}

bool is_word_list(const OptionFacts& option) {
  return !option.choices.empty();
}

// ---- bash --------------------------------------------------------------------------------------

std::string bash_values(const OptionFacts& option) {
  if (is_word_list(option)) return "_fcsim_words \"" + joined(option.choices, " ") + "\"";
  if (option.value == ValueKind::profile)
    return "_fcsim_words \"$(_fcsim_profiles)\"; _fcsim_files";
  if (option.value == ValueKind::file) return "_fcsim_files";
  return ":";
}

std::string bash_command(const CommandFacts& command) {
  std::string names, values;
  for (const OptionFacts& option : command.options) {
    names += " " + joined(option.names, " ");
    if (option.value != ValueKind::none)
      values +=
          "        " + joined(option.names, " | ") + ") " + bash_values(option) + "; return ;;\n";
  }
  std::string text =
      "    " + command.name + ")\n      case \"$previous\" in\n" + values +
      "      esac\n      if [[ \"$current\" == -* ]]; then\n        _fcsim_words \"" +
      names.substr(1) + "\"\n        return\n      fi\n";
  for (const OptionFacts& positional : command.positionals)
    text += "      " + bash_values(positional) + "\n";
  return text + "      ;;\n";
}

std::string bash(const std::vector<CommandFacts>& commands) {
  std::string names, cases;
  for (const CommandFacts& command : commands) {
    names += " " + command.name;
    cases += bash_command(command);
  }
  return R"(# bash completion for fcsim; printed by "fcsim help bash".

_fcsim_profiles() {
  )" + std::string(kProfiles) +
         R"(
}

_fcsim_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}

_fcsim_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen -f -- "$current")
}

_fcsim() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _fcsim_words "--help --version)" +
         names + R"("
    return
  fi
  case "${COMP_WORDS[1]}" in
)" + cases +
         R"(  esac
}

complete -F _fcsim fcsim
)";
}

// ---- zsh ---------------------------------------------------------------------------------------

std::string zsh_action(const OptionFacts& option) {
  if (is_word_list(option)) return "(" + joined(option.choices, " ") + ")";
  if (option.value == ValueKind::profile) return "_fcsim_profiles";
  if (option.value == ValueKind::file) return "_files";
  return " ";
}

std::string zsh_text(const std::string& text) {
  return escaped(escaped(text, "[]:\\", "\\"), "'", "'\\'");
}

std::string zsh_option(const OptionFacts& option) {
  const std::string value =
      option.value == ValueKind::none ? "" : ":" + option.label + ":" + zsh_action(option);
  std::string text;
  for (const std::string& name : option.names)
    text += " \\\n        '*" + name + "[" + zsh_text(option.description) + "]" + value + "'";
  return text;
}

std::string zsh(const std::vector<CommandFacts>& commands) {
  std::string list, cases;
  for (const CommandFacts& command : commands) {
    list += "    '" + command.name + ":" + zsh_text(command.description) + "'\n";
    cases += "    " + command.name + ")\n      _arguments -s";
    for (const OptionFacts& option : command.options) cases += zsh_option(option);
    for (const OptionFacts& positional : command.positionals)
      cases += " \\\n        '*:" + positional.label + ":" + zsh_action(positional) + "'";
    cases += "\n      ;;\n";
  }
  return R"sh(#compdef fcsim
# zsh completion for fcsim; printed by "fcsim help zsh".

_fcsim_profiles() {
  local -a profiles
  profiles=(${(f)"$()sh" +
         std::string(kProfiles) + R"sh()"})
  _alternative 'profiles:profile:compadd -a profiles' 'files:file:_files -g "*.toml"'
}

_fcsim() {
  local -a commands
  commands=(
)sh" + list +
         R"sh(  )
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments '--help[Print this help message and exit]' '--version[Print the version and exit]'
    return
  fi
  local command="$words[2]"
  shift words
  ((CURRENT--))
  case "$command" in
)sh" + cases +
         R"sh(  esac
}

_fcsim "$@"
)sh";
}

// ---- fish --------------------------------------------------------------------------------------

std::string fish_quoted(const std::string& text) {
  return "'" + escaped(text, "'\\", "\\") + "'";
}

std::string fish_values(const OptionFacts& option) {
  if (is_word_list(option)) return " -x -a " + fish_quoted(joined(option.choices, " "));
  if (option.value == ValueKind::profile)
    return " -r -a " + fish_quoted("(" + std::string(kProfiles) + ")");
  if (option.value == ValueKind::file) return " -r -F";
  return option.value == ValueKind::none ? "" : " -x";
}

std::string fish_option(const std::string& when, const OptionFacts& option) {
  std::string text = "complete -c fcsim -n " + when;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text + fish_values(option) + " -d " + fish_quoted(option.description) + "\n";
}

std::string fish(const std::vector<CommandFacts>& commands) {
  std::string text =
      "# fish completion for fcsim; printed by \"fcsim help fish\".\n"
      "complete -c fcsim -n __fish_use_subcommand -f\n"
      "complete -c fcsim -n __fish_use_subcommand -l version -d 'Print the version and exit'\n";
  for (const CommandFacts& command : commands) {
    text += "complete -c fcsim -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_quoted(command.description) + "\n";
    const std::string when = "'__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionFacts& option : command.options) text += fish_option(when, option);
    for (const OptionFacts& positional : command.positionals)
      if (is_word_list(positional))
        text += "complete -c fcsim -n " + when + " -f -a " +
                fish_quoted(joined(positional.choices, " ")) + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(const std::vector<CommandFacts>& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  return fish(commands);
}

}  // namespace fcsim::command
