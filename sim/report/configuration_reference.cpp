#include "sim/report/configuration_reference.h"

#include <charconv>
#include <map>
#include <type_traits>

namespace fcsim::report {
namespace {

std::string toml_text(const std::string& text) {
  return "\"" + text + "\"";
}

std::string toml_number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class Element, class Print>
std::string toml_array(const std::vector<Element>& elements, Print print) {
  std::string text;
  for (const Element& element : elements) text += (text.empty() ? "" : ", ") + print(element);
  return "[" + text + "]";
}

std::string toml_value(const configuration::Value& value) {
  return std::visit(
      [](const auto& given) -> std::string {
        using Type = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<Type, bool>)
          return given ? "true" : "false";
        else if constexpr (std::is_same_v<Type, std::int64_t>)
          return std::to_string(given);
        else if constexpr (std::is_same_v<Type, double>)
          return toml_number(given);
        else if constexpr (std::is_same_v<Type, std::string>)
          return toml_text(given);
        else if constexpr (std::is_same_v<Type, std::vector<std::string>>)
          return toml_array(given, toml_text);
        else if constexpr (std::is_same_v<Type, std::vector<std::int64_t>>)
          return toml_array(given, [](std::int64_t element) { return std::to_string(element); });
        else
          return given.description;
      },
      value);
}

std::string default_of(const configuration::Key& key, const configuration::Settings& defaults) {
  if (key.role == configuration::KeyRole::information) return "not used";
  if (key.role == configuration::KeyRole::derived) return "sets others";
  const std::optional<configuration::Value> value = key.get(defaults);
  return value ? "`" + toml_value(*value) + "`" : "not set";
}

const std::map<std::string_view, std::string_view>& introductions() {
  static const std::map<std::string_view, std::string_view> texts = {
      {"kernel", "Which kernel's rules hold, and how its clock ticks."},
      {"filesystem",
       "What mke2fs made. What is not given follows from the rest as mke2fs 1.47 decides it; the "
       "defaults are those of the size in `block_count`. `fcsim geometry` prints this table for a "
       "file system that exists."},
      {"mount", "Mount options."},
      {"device",
       "Times of the device: what calls wait for with `--timing closed`, and what `tune` reckons "
       "with. Presets are in configs/devices/; `fcsim fit` estimates the table from a trace."},
      {"timing",
       "How the times of a recorded call are read. These belong to strace and to the scheduler; a "
       "trace from tracepoints tells most of them itself."},
  };
  return texts;
}

std::string row(const configuration::Key& key, const configuration::Settings& defaults) {
  return "| `" + std::string(key.name) + "` | " + expectation(key) + " | " +
         default_of(key, defaults) + " | " + std::string(key.documentation) + " |\n";
}

std::string section(std::string_view table) {
  std::string text = "\n## [" + std::string(table) + "]\n\n";
  if (const auto found = introductions().find(table); found != introductions().end())
    text += std::string(found->second) + "\n\n";
  if (configuration::is_rule_table(table))
    text += "Rules of a kernel: profiles may give them, too.\n\n";
  return text + "| key | takes | default | what it is |\n|---|---|---|---|\n";
}

}  // namespace

std::string configuration_reference(const configuration::Settings& defaults) {
  std::string text =
      "# Configuration keys\n"
      "\n"
      "Printed by `fcsim help configuration`, from the table that the parser uses.\n"
      "\n"
      "A configuration is TOML: tables of keys. `-c FILE` reads one, later ones override earlier "
      "ones; `--set table.key=value` overrides all files; `-k NAME` chooses the profile. An "
      "unknown "
      "key, a wrong type or a value out of range is an error with file, line and column.\n"
      "\n"
      "The defaults are what an empty configuration gives. \"Not set\": the key then has no "
      "value. \"Not used\": it is accepted for the record and changes nothing. \"Sets others\": it "
      "is a shorthand, applied after the plain keys of the same source.\n";
  std::string_view table;
  for (const configuration::Key& key : configuration::configuration_keys()) {
    if (key.table != table) text += section(key.table);
    table = key.table;
    text += row(key, defaults);
  }
  return text;
}

}  // namespace fcsim::report
