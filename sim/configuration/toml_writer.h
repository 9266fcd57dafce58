// TOML as a bundle's env.toml and truth.toml hold it: tables of plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/configuration/document.h"

namespace fcsim::configuration {

class TomlWriter {
 public:
  // Begins a table; `name` is written as it is, brackets included.
  void table(std::string_view name);
  // A key that is not a bare one is quoted.
  void integer(std::string_view key, std::int64_t value);
  void boolean(std::string_view key, bool value);
  void text(std::string_view key, std::string_view value);
  void texts(std::string_view key, const std::vector<std::string>& values);
  void value(std::string_view key, const Value& value);  // reals with six decimals
  // A time as seconds with six decimals.
  void seconds(std::string_view key, std::int64_t nanoseconds);

  [[nodiscard]] const std::string& result() const { return result_; }

 private:
  void key(std::string_view name);
  void real(std::string_view name, double value);
  std::string result_;
};

// Between quotation marks. TOML has no text but UTF-8: other bytes as support::name_for_json writes
// them, which those who read the file turn back.
std::string toml_string(std::string_view bytes);

}  // namespace fcsim::configuration
