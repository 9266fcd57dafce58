// What the TOML parser cannot be given: it descends without limit into nested keys, arrays and
// tables, and has undefined behaviour on some letters outside of strings.
#pragma once

#include <string_view>

#include "model/common/error.h"

namespace fcsim::configuration {

// Parts of one dotted key, and arrays and tables within each other.
inline constexpr int kNestingMaximum = 64;

// `position`: of the text's first character. Throws InputError where more than kNestingMaximum
// keys, arrays or tables lie within each other, and at a character outside of strings and comments
// that is not ASCII. Malformed text passes otherwise: the parser says what is wrong.
void check_nesting(std::string_view text, const model::Position& position);

}  // namespace fcsim::configuration
