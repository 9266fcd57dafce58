// How one row of the table of keys is made from the member that it fills.
#pragma once

#include <cassert>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/configuration/keys.h"

namespace fcsim::configuration {

inline constexpr double kUnbounded = std::numeric_limits<double>::max();

struct Range {
  double minimum = 0;
  double maximum = kUnbounded;
};

// Makes the keys of one table. `field` functions take Settings& and return a reference to the
// member, so that one lambda serves as getter and setter.
class TableBuilder {
 public:
  TableBuilder(std::vector<Key>& keys, std::string_view table, KeyRole role)
      : keys_(keys), table_(table), role_(role) {}

  // The keys that follow are of this file system; nullopt: of both.
  void only_of(std::optional<model::FilesystemType> file_system) { file_system_ = file_system; }

  template <class Field>
  Key& integer(std::string_view name, std::string_view unit, Range range, Field field,
               std::string_view documentation) {
    using Number = std::remove_cvref_t<decltype(unwrap(field(std::declval<Settings&>())))>;
    Key& key = add(name, KeyKind::integer, documentation);
    key.unit = unit;
    key.minimum = range.minimum;
    key.maximum = range.maximum < largest<Number>() ? range.maximum : largest<Number>();
    key.set = [field](Settings& settings, const Value& value) {
      field(settings) = static_cast<Number>(std::get<std::int64_t>(value));
    };
    key.get = [field](const Settings& settings) -> std::optional<Value> {
      return known(field(const_cast<Settings&>(settings)));
    };
    return key;
  }

  template <class Field>
  Key& real(std::string_view name, std::string_view unit, Range range, Field field,
            std::string_view documentation) {
    Key& key = add(name, KeyKind::real, documentation);
    key.unit = unit;
    key.minimum = range.minimum;
    key.maximum = range.maximum;
    key.set = [field](Settings& settings, const Value& value) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      field(settings) = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    };
    key.get = [field](const Settings& settings) -> std::optional<Value> {
      return given<double>(field(const_cast<Settings&>(settings)));
    };
    return key;
  }

  template <class Field>
  Key& boolean(std::string_view name, Field field, std::string_view documentation) {
    Key& key = add(name, KeyKind::boolean, documentation);
    bind<bool>(key, field);
    return key;
  }

  template <class Field>
  Key& text(std::string_view name, Field field, std::string_view documentation) {
    Key& key = add(name, KeyKind::text, documentation);
    bind<std::string>(key, field);
    return key;
  }

  template <class Field>
  Key& texts(std::string_view name, Field field, std::string_view documentation) {
    Key& key = add(name, KeyKind::text_list, documentation);
    bind<std::vector<std::string>>(key, field);
    return key;
  }

  // `choices` in the order of the enumeration's values.
  template <class Field>
  Key& choice(std::string_view name, const std::vector<std::string_view>& choices, Field field,
              std::string_view documentation) {
    using Enumeration = std::remove_cvref_t<decltype(field(std::declval<Settings&>()))>;
    Key& key = add(name, KeyKind::text, documentation);
    key.choices = choices;
    key.set = [field, choices](Settings& settings, const Value& value) {
      const std::string& wanted = std::get<std::string>(value);
      for (std::size_t i = 0; i < choices.size(); ++i)
        if (choices[i] == wanted) field(settings) = static_cast<Enumeration>(i);
    };
    key.get = [field, choices](const Settings& settings) -> std::optional<Value> {
      const auto index = static_cast<std::size_t>(field(const_cast<Settings&>(settings)));
      assert(index < choices.size());
      return Value(std::string(choices[index]));
    };
    return key;
  }

  // A key that is accepted for the record and changes nothing.
  Key& information(std::string_view name, KeyKind kind, std::string_view documentation) {
    Key& key = add(name, kind, documentation);
    key.role = KeyRole::information;
    key.minimum = -kUnbounded;
    key.set = [](Settings&, const Value&) {};
    key.get = [](const Settings&) -> std::optional<Value> { return std::nullopt; };
    return key;
  }

 private:
  Key& add(std::string_view name, KeyKind kind, std::string_view documentation) {
    Key& key = keys_.emplace_back();
    key.table = table_;
    key.name = name;
    key.kind = kind;
    key.role = role_;
    key.documentation = documentation;
    key.file_system = file_system_;
    return key;
  }

  template <class Type, class Field>
  static void bind(Key& key, Field field) {
    key.set = [field](Settings& settings, const Value& value) {
      field(settings) = std::get<Type>(value);
    };
    key.get = [field](const Settings& settings) -> std::optional<Value> {
      return given<Type>(field(const_cast<Settings&>(settings)));
    };
  }
  template <class Type>
  static std::optional<Value> given(const Type& member) {
    return Value(member);
  }
  template <class Type>
  static std::optional<Value> given(const std::optional<Type>& member) {
    if (!member) return std::nullopt;
    return Value(*member);
  }

  template <class Number>
  static Number& unwrap(Number& member) {
    return member;
  }
  template <class Number>
  static Number& unwrap(std::optional<Number>& member) {
    return *member;
  }
  template <class Number>
  static std::optional<Value> known(const Number& member) {
    return Value(static_cast<std::int64_t>(member));
  }
  template <class Number>
  static std::optional<Value> known(const std::optional<Number>& member) {
    if (!member) return std::nullopt;
    return Value(static_cast<std::int64_t>(*member));
  }
  template <class Number>
  static constexpr double largest() {
    // TOML's integers are signed 64 bits; every bound given is exact as a double.
    if constexpr (sizeof(Number) < sizeof(std::int64_t))
      return static_cast<double>(std::numeric_limits<Number>::max());
    return 9223372036854774784.0;
  }

  std::vector<Key>& keys_;
  std::string_view table_;
  KeyRole role_;
  std::optional<model::FilesystemType> file_system_;
};

}  // namespace fcsim::configuration
