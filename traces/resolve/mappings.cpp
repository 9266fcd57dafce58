#include "traces/resolve/mappings.h"

#include <algorithm>

#include "traces/resolve/ranges.h"

namespace fcsim::traces::resolve {

std::vector<Piece> Mappings::overlap(std::int64_t address, std::int64_t length) const {
  std::vector<Piece> pieces;
  const std::int64_t end = end_of(address, length);
  auto at = by_address_.upper_bound(address);
  if (at != by_address_.begin()) --at;
  for (; at != by_address_.end() && at->first < end; ++at) {
    const Mapping& whole = at->second;
    const std::int64_t first = std::max(at->first, address);
    const std::int64_t last = std::min(end_of(at->first, whole.length), end);
    if (first >= last) continue;
    Piece piece{first, whole, 0};
    piece.mapping.offset += first - at->first;
    piece.mapping.length = last - first;
    piece.rests =
        (first > at->first ? 1U : 0U) + (last < end_of(at->first, whole.length) ? 1U : 0U);
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<Piece> Mappings::cut(std::int64_t address, std::int64_t length) {
  std::vector<Piece> pieces = overlap(address, length);
  for (const Piece& piece : pieces) {
    auto at = std::prev(by_address_.upper_bound(piece.address));
    const std::int64_t start = at->first;
    const Mapping whole = at->second;
    const std::int64_t end = end_of(piece.address, piece.mapping.length);
    by_address_.erase(at);
    if (start < piece.address) {
      Mapping before = whole;
      before.length = piece.address - start;
      by_address_[start] = before;
    }
    if (end < end_of(start, whole.length)) {
      Mapping after = whole;
      after.offset += end - start;
      after.length = end_of(start, whole.length) - end;
      by_address_[end] = after;
    }
  }
  return pieces;
}

}  // namespace fcsim::traces::resolve
