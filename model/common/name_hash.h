// The hash of names and values in operations.
#pragma once

#include <cstdint>
#include <string_view>

namespace fcsim::model {

// FNV-1a, 64 bits.
constexpr std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace fcsim::model
