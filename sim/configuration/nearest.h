// Which of the known names was probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fcsim::configuration {

// Edit distance in which exchanging two neighbours is one step.
std::size_t distance(std::string_view a, std::string_view b);

// Near enough for a slip of the pen.
bool is_near(std::string_view given, std::string_view known);

// "; did you mean '...'?", empty when nothing is near.
std::string suggest_nearest(std::string_view given, const std::vector<std::string_view>& known);

}  // namespace fcsim::configuration
