#include "sim/support/size.h"

#include <charconv>

namespace fcsim::support {

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::uint64_t kMaximum = std::uint64_t{1} << 62;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unsigned shift = 0;
  if (!unit.empty() && unit != "B") {
    constexpr std::string_view kUnits = "kmgtKMGT";
    const std::size_t place = kUnits.find(unit.front());
    if (place == std::string_view::npos) return std::nullopt;
    shift = static_cast<unsigned>(place % 4 + 1) * 10;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "iB" && unit != "i") return std::nullopt;
  }
  if (number > (kMaximum >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace fcsim::support
