// Numbers and fields as every text form writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fcsim::support {

// With `digits` decimals, the same on every machine ("." whatever the locale).
std::string decimal(double value, int digits);

// a / b in percent with one decimal; "-" for b = 0.
std::string percent(std::uint64_t a, std::uint64_t b);

// a / b with two decimals, rounded half up. b is not 0.
std::string ratio(std::uint64_t a, std::uint64_t b);

// "1 commit", "2 commits".
std::string counted(std::uint64_t count, std::string_view what);

// RFC 4180: quotes where a comma or a quote would be taken for the format's own; other characters
// as printable() shows them. A field that a spreadsheet would take for a formula, as it begins with
// = + - @, a tab or a carriage return and is not a number, gets an apostrophe in front.
std::string csv_field(std::string_view text);

// A word of a shell's command line, quoted where the shell would read it as something else.
std::string shell_word(std::string_view text);

// The parts between separators; empty parts are left out.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace fcsim::support
