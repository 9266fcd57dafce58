// Sizes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fcsim::support {

// "4096", "4KiB", "4k", "64M", "1GiB", "2T": bytes, with powers of 1024. nullopt: not such a text,
// or more than 2^62.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace fcsim::support
