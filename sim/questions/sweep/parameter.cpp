#include "sim/questions/sweep/parameter.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "model/common/error.h"
#include "sim/configuration/configuration.h"
#include "sim/configuration/keys.h"

namespace fcsim::questions::sweep {
namespace {

constexpr std::size_t kValuesMaximum = 1'000'000;
constexpr std::size_t kPointsMaximum = 1'000'000;

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Parameter parse() {
    const std::size_t equals = text_.find('=');
    const std::size_t dot = text_.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals)
      fail("expected table.key=values");
    parameter_.key = text_.substr(0, equals);
    check_key(text_.substr(0, dot), text_.substr(dot + 1, equals - dot - 1));
    std::string_view rest = std::string_view(text_).substr(equals + 1);
    for (bool more = true; more;) {
      const std::size_t end = item_end(rest);
      item(rest.substr(0, end));
      more = end < rest.size();
      rest.remove_prefix(more ? end + 1 : end);
    }
    return std::move(parameter_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw configuration::ArgumentError(model::InputError({"-p " + text_, 0, 0}, message));
  }

  void check_key(const std::string& table, const std::string& name) const {
    if (!configuration::is_known_table(table))
      fail("unknown table [" + table + "]" + configuration::suggest_table(table));
    if (configuration::find_key(table, name) == nullptr)
      fail("unknown key '" + name + "' in [" + table + "]" +
           configuration::suggest_key(table, name));
  }

  // Up to the next comma outside of brackets and quotes.
  static std::size_t item_end(std::string_view text) {
    char quote = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == ']') {
        depth += c == '[' ? 1 : -1;
      } else if (c == ',' && depth == 0) {
        return i;
      }
    }
    return text.size();
  }

  void item(std::string_view text) {
    if (text.empty()) fail("a value is missing");
    const std::size_t dots = text.find("..");
    const auto low = integer(text.substr(0, dots == std::string_view::npos ? 0 : dots));
    if (!low) return add(std::string(text));  // no range: a path may hold ".." too
    const std::string_view after = text.substr(dots + 2);
    const std::size_t sign = after.find_first_of("*+");
    const auto high = integer(after.substr(0, sign));
    const bool stepped = sign != std::string_view::npos;
    const auto step = stepped ? integer(after.substr(sign + 1)) : std::optional<std::int64_t>(1);
    const bool times = stepped && after[sign] == '*';
    if (!high || !step || *step < (times ? 2 : 1) || (times && *low < 1))
      fail("expected a range as 128..4096*2 or 1..9+2, found '" + std::string(text) + "'");
    if (*high < *low) fail("the range '" + std::string(text) + "' is empty");
    for (std::int64_t value = *low;;) {
      add(std::to_string(value));
      if (times ? value > *high / *step : value > *high - *step) return;
      value = times ? value * *step : value + *step;
    }
  }

  void add(std::string value) {
    if (parameter_.values.size() == kValuesMaximum)
      fail("more than " + std::to_string(kValuesMaximum) + " values");
    parameter_.values.push_back(std::move(value));
  }

  const std::string& text_;
  Parameter parameter_;
};

void check(const std::vector<Parameter>& parameters) {
  std::size_t points = 1;
  std::vector<std::string> seen;
  for (const Parameter& parameter : parameters) {
    if (std::find(seen.begin(), seen.end(), parameter.key) != seen.end())
      throw configuration::ArgumentError(
          model::InputError({"-p " + parameter.key, 0, 0}, "is given twice"));
    seen.push_back(parameter.key);
    points *= parameter.values.size();
    if (points > kPointsMaximum)
      throw model::InputError(
          {"-p", 0, 0}, "the grid has more than " + std::to_string(kPointsMaximum) + " points");
  }
}

}  // namespace

Parameter parse_parameter(const std::string& text) {
  return Parser(text).parse();
}

std::vector<std::vector<std::string>> grid(const std::vector<Parameter>& parameters) {
  check(parameters);
  std::vector<std::vector<std::string>> points = {{}};
  for (const Parameter& parameter : parameters) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : parameter.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace fcsim::questions::sweep
