// What tells one input or configuration from another: XXH3 with 128 bits, as `xxhsum -H2` has it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/configuration/configuration.h"
#include "sim/replay/inputs.h"

namespace fcsim::questions::batch {

struct Hash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash&, const Hash&) = default;
};

// 32 hexadecimal digits, the canonical form.
std::string to_hex(const Hash& hash);
// nullopt for anything but 32 lower-case hexadecimal digits.
std::optional<Hash> hash_from_hex(std::string_view text);

Hash hash_of(std::string_view text);

// Of all files that a prediction reads: trace, env.toml, manifest.tsv, truth.toml (whose read_at
// ends the observation), those that exist. Each goes in as name, NUL, size, NUL, content. Throws
// InputError for a file that cannot be read.
Hash hash_of(const replay::Inputs& inputs);

// Of every key that has a value after defaults, profile, files and settings, and of `strict`.
Hash hash_of(const configuration::LoadedConfiguration& configuration, bool strict);

}  // namespace fcsim::questions::batch
