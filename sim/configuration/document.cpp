#include "sim/configuration/document.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "sim/configuration/nesting.h"
#include "sim/configuration/toml.h"

namespace fcsim::configuration {
namespace {

model::Position position_of(const toml::source_region& source, const std::string& file) {
  return {file, source.begin.line, source.begin.column};
}

std::string kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (node.is_date() || node.is_time() || node.is_date_time()) return "a date or time";
  return "a value";
}

template <class T>
std::vector<T> elements(const toml::array& array) {
  std::vector<T> values;
  for (const toml::node& node : array) values.push_back(*node.value<T>());
  return values;
}

Value convert(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* array = node.as_array()) {
    if (array->empty() || array->is_homogeneous<std::string>())
      return elements<std::string>(*array);
    if (array->is_homogeneous<std::int64_t>()) return elements<std::int64_t>(*array);
    return UnusableValue{"a mixed array"};
  }
  return UnusableValue{kind_of(node)};
}

bool is_array_of_tables(const toml::node& node) {
  const toml::array* array = node.as_array();
  return array != nullptr && !array->empty() && array->is_homogeneous<toml::table>();
}

class Flattener {
 public:
  explicit Flattener(std::string file) : file_(std::move(file)) {}

  void table(const std::string& name, std::size_t index, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string path =
          name.empty() ? std::string(key.str()) : name + "." + std::string(key.str());
      if (const toml::table* inner = node.as_table()) {
        document_.tables.push_back({path, index, position_of(node.source(), file_)});
        this->table(path, index, *inner);
      } else if (is_array_of_tables(node)) {
        std::size_t element = 0;
        for (const toml::node& item : *node.as_array()) {
          document_.tables.push_back({path, element, position_of(item.source(), file_)});
          this->table(path, element++, *item.as_table());
        }
      } else {
        document_.entries.push_back(
            {name, index, std::string(key.str()), convert(node), position_of(key.source(), file_)});
      }
    }
  }

  // The parser sorts by name; users read in the order of the text.
  Document take() {
    const auto before = [](const auto& a, const auto& b) {
      return std::pair(a.position.line, a.position.column) <
             std::pair(b.position.line, b.position.column);
    };
    std::stable_sort(document_.tables.begin(), document_.tables.end(), before);
    std::stable_sort(document_.entries.begin(), document_.entries.end(), before);
    return std::move(document_);
  }

 private:
  std::string file_;
  Document document_;
};

// A device or a file of another kind has no end that could be waited for.
constexpr std::size_t kTextMaximum = std::size_t{16} << 20;

std::string read_text(const std::string& path) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error))
    throw model::InputError({path, 0, 0}, "is a folder; expected a TOML file");
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& stream = path == "-" ? std::cin : file;
  if (!stream) throw model::InputError({path, 0, 0}, "cannot be read");
  std::string text;
  std::array<char, 65536> part{};
  do {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kTextMaximum)
      throw model::InputError({path == "-" ? "standard input" : path, 0, 0},
                              "is larger than 16 MiB, which no configuration is");
  } while (stream);
  if (stream.bad()) throw model::InputError({path, 0, 0}, "cannot be read");
  return text;
}

}  // namespace

std::string describe(const Value& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "the boolean true" : "the boolean false"; }
    std::string operator()(std::int64_t v) const { return "the integer " + std::to_string(v); }
    std::string operator()(double) const { return "a number with a fraction"; }
    std::string operator()(const std::string& v) const { return "the string \"" + v + "\""; }
    std::string operator()(const std::vector<std::string>&) const { return "an array of strings"; }
    std::string operator()(const std::vector<std::int64_t>&) const {
      return "an array of integers";
    }
    std::string operator()(const UnusableValue& v) const { return v.description; }
  };
  return std::visit(Visitor{}, value);
}

Document parse_document(std::string_view text, const std::string& file) {
  check_nesting(text, {file, 1, 1});
  try {
    const toml::table table = toml::parse(text, file);
    Flattener flattener(file);
    flattener.table("", 0, table);
    return flattener.take();
  } catch (const toml::parse_error& error) {
    throw model::InputError(position_of(error.source(), file), std::string(error.description()));
  }
}

Document read_document(const std::string& path) {
  return parse_document(read_text(path), path == "-" ? "standard input" : path);
}

Value parse_value(std::string_view text, const model::Position& position) {
  check_nesting(text, position);
  try {
    const toml::table table = toml::parse("value = " + std::string(text));
    if (table.size() != 1) throw model::InputError(position, "expected one value");
    return convert(*table.get("value"));
  } catch (const toml::parse_error& error) {
    throw model::InputError(position, std::string(error.description()));
  }
}

}  // namespace fcsim::configuration
