#include "model/exposure/content.h"

#include <algorithm>
#include <iterator>

namespace fcsim::model::exposure {

void append(std::vector<Piece>& pieces, const Piece& piece) {
  if (piece.length <= 0) return;
  if (!pieces.empty() && pieces.back().writer == piece.writer &&
      pieces.back().offset + pieces.back().length == piece.offset)
    pieces.back().length += piece.length;
  else
    pieces.push_back(piece);
}

void Content::erase(std::int64_t offset, std::int64_t end) {
  if (offset >= end) return;
  auto run = runs_.lower_bound(offset);
  if (run != runs_.begin()) {
    const auto before = std::prev(run);
    const std::int64_t stop = before->first + before->second.length;
    if (stop > offset) {
      before->second.length = offset - before->first;
      if (stop > end) runs_.emplace(end, Run{stop - end, before->second.writer});
    }
  }
  while (run != runs_.end() && run->first < end) {
    const std::int64_t stop = run->first + run->second.length;
    if (stop > end) runs_.emplace(end, Run{stop - end, run->second.writer});
    run = runs_.erase(run);
  }
}

void Content::write(std::int64_t offset, std::int64_t length, Writer writer) {
  if (length <= 0) return;
  erase(offset, offset + length);
  runs_.emplace(offset, Run{length, writer});
}

void Content::shift(std::int64_t from, std::int64_t distance) {
  std::map<std::int64_t, Run> moved;
  for (const Piece& piece : between(0, std::numeric_limits<std::int64_t>::max())) {
    const std::int64_t stop = piece.offset + piece.length;
    if (piece.offset < from)
      moved.emplace(piece.offset, Run{std::min(stop, from) - piece.offset, piece.writer});
    if (stop > from) {
      const std::int64_t begin = std::max(piece.offset, from);
      moved.emplace(begin + distance, Run{stop - begin, piece.writer});
    }
  }
  runs_ = std::move(moved);
}

std::vector<Piece> Content::between(std::int64_t offset, std::int64_t end) const {
  std::vector<Piece> pieces;
  auto run = runs_.upper_bound(offset);
  if (run != runs_.begin()) --run;
  for (; run != runs_.end() && run->first < end; ++run) {
    const std::int64_t first = std::max(offset, run->first);
    const std::int64_t stop = std::min(end, run->first + run->second.length);
    append(pieces, {first, stop - first, run->second.writer});
  }
  return pieces;
}

}  // namespace fcsim::model::exposure
