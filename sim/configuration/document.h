// A TOML text as a flat list of entries, each with its position. The only place that knows the
// TOML parser; configuration files, profiles and truth files are all read through it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/common/error.h"

namespace fcsim::configuration {

// A value that no key takes (a date, a nested table in an array, a mixed array): what it was.
struct UnusableValue {
  std::string description;
  bool operator==(const UnusableValue&) const = default;
};

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                           std::vector<std::int64_t>, UnusableValue>;

// "an integer", "a string", ... for messages.
std::string describe(const Value& value);

struct Entry {
  std::string table;  // dotted path of the table, "" at the top; "stage.fc_info" within [[stage]]
  std::size_t index = 0;  // which element, for tables within an array of tables
  std::string key;
  Value value;
  model::Position position;
};

struct TableHeader {
  std::string table;
  std::size_t index = 0;
  model::Position position;
};

struct Document {
  std::vector<TableHeader> tables;  // in the order of the text
  std::vector<Entry> entries;       // in the order of the text
};

// Parses a text; `file` names it in positions. Throws InputError with line and column.
Document parse_document(std::string_view text, const std::string& file);

// Reads and parses a file; "-" is standard input. Throws InputError, also when it cannot be read.
Document read_document(const std::string& path);

// Parses one value as it stands after "=". Throws InputError at `position`.
Value parse_value(std::string_view text, const model::Position& position);

}  // namespace fcsim::configuration
