#include "sim/configuration/nearest.h"

#include <algorithm>

namespace fcsim::configuration {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) steps[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) steps[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      steps[i][j] =
          std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

bool is_near(std::string_view a, std::string_view b) {
  return distance(a, b) <= std::max<std::size_t>(2, b.size() / 3);
}

std::string suggest_nearest(std::string_view given, const std::vector<std::string_view>& known) {
  std::string_view best;
  for (const std::string_view name : known)
    if (is_near(given, name) && (best.empty() || distance(given, name) < distance(given, best)))
      best = name;
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

}  // namespace fcsim::configuration
