// JSON as fcsim writes it.
//
// JSON text is UTF-8, names of files are bytes. A byte 0xNN that is not part of UTF-8 is written as
// the private-use character U+EFNN (U+EF80 to U+EFFF). Where a name holds one of these characters
// itself, its three bytes are written in the same way. So every name has one form, every form is
// valid JSON, and name_from_json() gives the bytes back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fcsim::support {

// Members in the order in which they are added. Strings hold bytes; json_text() makes them UTF-8.
using Json = nlohmann::ordered_json;

// The value and a line feed. Arrays and objects that fit are on one line, the others have an
// element a line; the outermost is never on one line.
std::string json_text(const Json& value);

// On one line, without a line feed.
std::string json_line(const Json& value);

// One object whose lists may be long: each member is one line, each element of a list too, and a
// list need not be in memory as JSON.
class JsonLines {
 public:
  void member(std::string_view name, const Json& value) {
    begin_member(name);
    text_ += json_line(value);
  }

  template <class Items, class ToJson>
  void list(std::string_view name, const Items& items, const ToJson& to_json) {
    begin_member(name);
    text_ += '[';
    bool first = true;
    for (const auto& item : items) {
      text_ += first ? "\n  " : ",\n  ";
      text_ += json_line(to_json(item));
      first = false;
    }
    text_ += ']';
  }

  // A list whose elements are JSON already, a line each: json_line().
  void lines(std::string_view name, const std::vector<std::string_view>& elements);

  // The object and a line feed.
  [[nodiscard]] std::string result() && {
    text_ += "\n}\n";
    return std::move(text_);
  }

 private:
  void begin_member(std::string_view name);
  std::string text_ = "{";
};

// A string with its quotes. Control characters are escaped, C1 controls and DEL too, as JSON may be
// shown on a terminal.
std::string json_string(std::string_view bytes);

// The form above, without quotes and escapes; and back.
std::string name_for_json(std::string_view bytes);
std::string name_from_json(std::string_view utf8);

// Nanoseconds as a number of seconds, a double as readers of JSON have it.
Json json_seconds(std::int64_t nanoseconds);

// A number with `digits` decimals at most, "null" where it is not finite.
Json json_decimal(double value, int digits);

}  // namespace fcsim::support
