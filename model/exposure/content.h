// Whose bytes lie where in a file: the calls that wrote them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace fcsim::model::exposure {

// A write call of the trace: its line, with the number of the trace file above 48 bits.
using Writer = std::uint64_t;
inline constexpr Writer kZeros = 0;
inline constexpr Writer kBefore = std::numeric_limits<Writer>::max();  // there before the trace

struct Piece {
  std::int64_t offset = 0;  // bytes
  std::int64_t length = 0;
  Writer writer = kZeros;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Appends a piece; joins it with the last where that goes on.
void append(std::vector<Piece>& pieces, const Piece& piece);

// What reads of a file return. Bytes that were never written are zeros.
class Content {
 public:
  void write(std::int64_t offset, std::int64_t length, Writer writer);
  // Zeros from `offset` to `end`.
  void erase(std::int64_t offset, std::int64_t end);
  // All bytes at or beyond `from` move by `distance`.
  void shift(std::int64_t from, std::int64_t distance);
  // The written pieces between, clipped.
  [[nodiscard]] std::vector<Piece> between(std::int64_t offset, std::int64_t end) const;

 private:
  struct Run {
    std::int64_t length = 0;
    Writer writer = kZeros;
  };
  std::map<std::int64_t, Run> runs_;  // by offset
};

}  // namespace fcsim::model::exposure
