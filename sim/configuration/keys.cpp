#include "sim/configuration/keys.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/configuration/key_tables.h"
#include "sim/configuration/nearest.h"

namespace fcsim::configuration {
namespace {

std::string number(double value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

std::string joined(const std::vector<std::string_view>& words, const char* conjunction) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? std::string(" ") + conjunction + " " : ", ";
    text += "\"" + std::string(words[i]) + "\"";
  }
  return text;
}

bool in_range(const Key& key, double value) {
  return value >= key.minimum && value <= key.maximum;
}

std::string bounds(const Key& key) {
  const bool limited = key.maximum < 1e15;
  if (key.minimum < -1e15) return "";
  if (key.kind == KeyKind::real && key.minimum == 0 && !limited) return " of at least 0";
  if (!limited) return " of at least " + number(key.minimum);
  return " from " + number(key.minimum) + " to " + number(key.maximum);
}

bool has_kind(const Key& key, const Value& value) {
  switch (key.kind) {
    case KeyKind::boolean:
      return std::holds_alternative<bool>(value);
    case KeyKind::integer:
      return std::holds_alternative<std::int64_t>(value);
    case KeyKind::real:
      return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
    case KeyKind::text:
      return std::holds_alternative<std::string>(value);
    case KeyKind::text_list:
      return std::holds_alternative<std::vector<std::string>>(value);
  }
  return false;
}

bool fits(const Key& key, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (!in_range(key, static_cast<double>(*whole))) return false;
    return !key.power_of_two || std::has_single_bit(static_cast<std::uint64_t>(*whole));
  }
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) && in_range(key, *real);
  if (const auto* text = std::get_if<std::string>(&value))
    return key.choices.empty() ||
           std::find(key.choices.begin(), key.choices.end(), *text) != key.choices.end();
  return true;
}

}  // namespace

const std::vector<Key>& configuration_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    add_machine_keys(all);
    add_rule_keys(all);
    return all;
  }();
  return keys;
}

const Key* find_key(std::string_view table, std::string_view name) {
  for (const Key& key : configuration_keys())
    if (key.table == table && key.name == name) return &key;
  return nullptr;
}

bool is_known_table(std::string_view table) {
  const auto& keys = configuration_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.table == table; });
}

bool is_rule_table(std::string_view table) {
  const auto& keys = configuration_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) {
    return key.table == table && key.role == KeyRole::rule;
  });
}

std::string expectation(const Key& key) {
  const std::string unit = key.unit.empty() ? "" : " (" + std::string(key.unit) + ")";
  switch (key.kind) {
    case KeyKind::boolean:
      return "true or false";
    case KeyKind::integer:
      return (key.power_of_two ? "a power of two" : "an integer") + bounds(key) + unit;
    case KeyKind::real:
      return "a number" + bounds(key) + unit;
    case KeyKind::text:
      return key.choices.empty() ? "a string" : joined(key.choices, "or");
    case KeyKind::text_list:
      return "an array of strings";
  }
  return "";
}

std::optional<Value> value_of(const Key& key, const Settings& settings) {
  if (!key.get) return std::nullopt;
  if (key.file_system && *key.file_system != settings.values.filesystem.type) return std::nullopt;
  return key.get(settings);
}

std::optional<std::string> complaint(const Key& key, const Value& value) {
  if (has_kind(key, value) && fits(key, value)) return std::nullopt;
  return "'" + std::string(key.name) + "' in [" + std::string(key.table) + "] expects " +
         expectation(key) + ", found " + describe(value);
}

std::string suggest_table(std::string_view table) {
  const Key* best = nullptr;
  for (const Key& key : configuration_keys())
    if (is_near(table, key.table) &&
        (best == nullptr || distance(table, key.table) < distance(table, best->table)))
      best = &key;
  return best == nullptr ? "" : "; did you mean [" + std::string(best->table) + "]?";
}

std::string suggest_key(std::string_view table, std::string_view name) {
  const Key* best = nullptr;
  for (const Key& key : configuration_keys())
    if (key.table == table && is_near(name, key.name) &&
        (best == nullptr || distance(name, key.name) < distance(name, best->name)))
      best = &key;
  if (best != nullptr) return "; did you mean '" + std::string(best->name) + "'?";
  for (const Key& key : configuration_keys())
    if (key.name == name) return "; it belongs in [" + std::string(key.table) + "]";
  for (const Key& key : configuration_keys())
    if (is_near(name, key.name))
      return "; did you mean '" + std::string(key.name) + "' in [" + std::string(key.table) + "]?";
  return "";
}

}  // namespace fcsim::configuration
