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

// Between quotation marks; bytes that are not UTF-8 become U+FFFD, as TOML has no other text.
std::string toml_string(std::string_view text);

}  // namespace fcsim::configuration
