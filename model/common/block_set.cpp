#include "model/common/block_set.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fcsim::model {

BlockSet::Place BlockSet::place(std::uint64_t end) const {
  const auto piece = std::partition_point(
      pieces_.begin(), pieces_.end(), [end](const Piece& each) { return each.back().end < end; });
  if (piece == pieces_.end()) return {pieces_.size(), 0};
  const auto run = std::partition_point(piece->begin(), piece->end(),
                                        [end](const BlockRun& each) { return each.end < end; });
  return {static_cast<std::size_t>(piece - pieces_.begin()),
          static_cast<std::size_t>(run - piece->begin())};
}

BlockRun* BlockSet::at(Place p) {
  return p.piece == pieces_.size() ? nullptr : &pieces_[p.piece][p.index];
}

BlockSet::Place BlockSet::after(Place p) const {
  return p.index + 1 < pieces_[p.piece].size() ? Place{p.piece, p.index + 1}
                                               : Place{p.piece + 1, 0};
}

void BlockSet::insert_at(Place p, BlockRun run) {
  if (p.index == 0 && p.piece != 0) {  // the end of the piece before will do
    --p.piece;
    p.index = pieces_[p.piece].size();
  } else if (pieces_.empty()) {
    pieces_.emplace_back();
  }
  if (pieces_[p.piece].size() == kPieceMaximum) {
    // What is appended begins a piece of its own; else the upper half moves into one.
    const std::size_t kept = p.index == kPieceMaximum ? kPieceMaximum : kPieceMaximum / 2;
    Piece& full = pieces_[p.piece];
    Piece upper(full.begin() + static_cast<std::ptrdiff_t>(kept), full.end());
    full.resize(kept);
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(p.piece) + 1, std::move(upper));
    if (p.index >= kept) p = {p.piece + 1, p.index - kept};
  }
  Piece& piece = pieces_[p.piece];
  piece.insert(piece.begin() + static_cast<std::ptrdiff_t>(p.index), run);
}

BlockSet::Place BlockSet::erase_at(Place p) {
  Piece& piece = pieces_[p.piece];
  piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(p.index));
  if (piece.empty()) {
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(p.piece));
    return {p.piece, 0};
  }
  return p.index < piece.size() ? p : Place{p.piece + 1, 0};
}

BlockSet::Iterator BlockSet::from(std::uint64_t block) const {
  const Place p = place(block + 1);
  return {pieces_, p.piece, p.index};
}

bool BlockSet::contains(std::uint64_t block) const {
  const auto run = from(block);
  return run != runs().end() && run->first <= block;
}

std::uint64_t BlockSet::count() const {
  std::uint64_t sum = 0;
  for (const BlockRun& run : runs()) sum += run.length();
  return sum;
}

void BlockSet::insert(std::uint64_t first, std::uint64_t end) {
  assert(first <= end);
  if (first == end) return;
  if (!pieces_.empty() && first >= pieces_.back().back().first &&
      first <= pieces_.back().back().end) {  // appending is the common case
    BlockRun& last = pieces_.back().back();
    last.end = std::max(last.end, end);
    return;
  }
  const Place p = place(first);  // the first run that touches or overlaps [first, end)
  BlockRun* const run = at(p);
  if (run == nullptr || run->first > end) {
    insert_at(p, {first, end});
    return;
  }
  run->first = std::min(run->first, first);
  run->end = std::max(run->end, end);
  for (Place next = after(p); at(next) != nullptr && at(next)->first <= at(p)->end;) {
    at(p)->end = std::max(at(p)->end, at(next)->end);
    next = erase_at(next);
  }
}

void BlockSet::erase(std::uint64_t first, std::uint64_t end) {
  assert(first <= end);
  if (first == end) return;
  Place p = place(first + 1);
  for (BlockRun* run = at(p); run != nullptr && run->first < end; run = at(p)) {
    const BlockRun old = *run;
    if (old.first < first && old.end > end) {
      run->end = first;
      insert_at({p.piece, p.index + 1}, {end, old.end});
      return;
    }
    if (old.first < first) {
      run->end = first;
      p = after(p);
    } else if (old.end > end) {
      run->first = end;
      return;
    } else {
      p = erase_at(p);
    }
  }
}

}  // namespace fcsim::model
